"""The page: its weight over the wire, and the time until it can be played, on a slow line and a slow processor.

The line has a delay of 150 ms for each request and carries 1.6 Mbit/s. The processor is four times slower than this one.
With ``--other PATH``, visits to this checkout and to another one alternate.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from playwright.async_api import Browser, async_playwright

from bench import command_line
from bench.figures import Figure
from bench.noughts_server import TREE, Noughts
from tools.chromium import chromium

_LINE: Final = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
"""As ``Network.emulateNetworkConditions`` takes it: ms, and bytes a second."""
_SLOWDOWN: Final = 4
_WATCH: Final = """
new MutationObserver((_, observer) => {
  const cell = document.querySelector(".start .cell.legal");
  if (!cell || cell.closest("[inert]")) return;
  observer.disconnect();
  window.playable = performance.now();
}).observe(document, { childList: true, subtree: true, attributes: true });
"""
"""Keep when the board takes a tap, in ms since the navigation began."""
_TIMES: Final = """() => new Promise(resolve => {
  const look = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    if (paint && window.playable) resolve([paint.startTime, window.playable]);
    else setTimeout(look, 50);
  };
  look();
})"""
_BEFORE_TAP: Final = """() => performance.getEntriesByType("resource")
  .filter(entry => entry.startTime < window.playable && entry.transferSize > 0).length + 1"""
_STATIC: Final = """() => performance.getEntriesByType("resource")
  .filter(({ name, transferSize }) => name.includes("/static/") && transferSize > 0).length"""
_WEIGHT: Final = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, entry) => sum + entry.transferSize, 0) / 1000"""
_FIGURES: Final = (
    ("first paint", "ms", 1_000.0),
    ("first tap possible", "ms", 1_800.0),
    ("requests before the first tap", "", None),
    ("the page, compressed", "kB", 75.0),
    ("first paint of a second visit", "ms", 400.0),
    ("first tap possible on a second visit", "ms", None),
    ("static files of a second visit", "", 0.0),
)


class _Visits(NamedTuple):
    """One server, and a list of samples for each of ``_FIGURES``."""

    tree: Path
    server: Noughts
    samples: tuple[list[float], ...]


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the kB of the page's files, and the times of a first and a second visit."""
    trees = [TREE, *([arguments.other.resolve()] if arguments.other else [])]
    visits = [_Visits(tree, Noughts(tree), tuple([] for _ in _FIGURES)) for tree in trees]
    figures: list[Figure] = []
    try:
        for visit in visits:
            await visit.server.start()
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
            )
            for number in range(arguments.rounds + 1):
                for visit in visits:
                    values = await _visit_twice(browser, visit.server.url)
                    if number:  # the first round warms the servers up
                        for samples, value in zip(visit.samples, values, strict=True):
                            samples.append(value)
            await browser.close()
    finally:
        for visit in visits:
            await visit.server.stop()
    for visit in visits:
        for (name, unit, goal), samples in zip(_FIGURES, visit.samples, strict=True):
            figures.append(Figure(name + _suffix(visit.tree), unit, samples, goal=goal))
    return figures


async def _visit_twice(browser: Browser, url: str) -> list[float]:
    """Return a value for each of ``_FIGURES``."""
    context = await browser.new_context(viewport={"width": 390, "height": 844}, service_workers="block")
    page = await context.new_page()
    await page.add_init_script(_WATCH)
    session = await context.new_cdp_session(page)
    await session.send("Network.enable")
    await session.send("Network.emulateNetworkConditions", dict[str, Any](_LINE))
    await session.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWDOWN})
    values: list[float] = []
    for counts in ((_BEFORE_TAP, _WEIGHT), (_STATIC,)):
        await page.goto(url, wait_until="networkidle")
        values += await page.evaluate(_TIMES)
        values += [await page.evaluate(count) for count in counts]
    await context.close()
    return values


def _suffix(tree: Path) -> str:
    return "" if tree == TREE else f" ({tree.name})"


def main(arguments: Sequence[str]) -> None:
    """Measure the page."""
    parser = command_line.options(__doc__)
    parser.add_argument("--other", type=Path, metavar="PATH", help="another checkout")
    parser.add_argument("--rounds", type=int, default=5, help="visits to each server (default: 5)")
    command_line.run(measure, parser, arguments, pinned=False)
