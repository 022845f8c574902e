"""Record the moving picture of the README: two browsers play a short game.

    python -m tools.record                      write docs/game.gif
    python -m tools.record --out other.gif      write somewhere else

The tool starts a server on a free port with a new data directory. It opens two Chromium pages and plays ``MOVES`` by
clicking. After each move it puts a screenshot of both pages side by side. The screenshots become one GIF.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.server import RunningServer
from tools.chromium import chromium

ROOT = Path(__file__).resolve().parent.parent
MOVES = ("b2", "a1", "c1", "a3", "a2", "b1", "c2")
PUBLIC_URL = "https://games.example.org"
"""What the invite link begins with, so that the picture shows no port of this machine."""
WIDTH, HEIGHT, GAP = 400, 720, 12
"""Of one page and of the strip between both, in pixels."""
FIRST_MS, MOVE_MS, LAST_MS = 2_500, 900, 3_500
"""How long the picture shows the invitation, a move and the end."""
COLOURS = 128
MAX_BYTES = 200_000
BACKGROUND = "#c9c3b5"
STYLE = "html { scrollbar-gutter: auto !important; }"
"""Added for a screenshot. A headless browser shows no scroll bar, so it needs no room for one."""
GUEST_KEY = "noughts.guest"
"""Where the page keeps its guest in the browser's storage."""


def post(url: str, body: dict[str, str], token: str = "") -> Any:
    """Send a POST request with a JSON body and return the answer."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


def open_page(browser: Browser, guest: object, url: str) -> Page:
    """Open a URL in a browser profile of its own that belongs to a guest."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce", bypass_csp=True)
    context.add_init_script(f"localStorage.setItem({json.dumps(GUEST_KEY)}, {json.dumps(json.dumps(guest))})")
    page = context.new_page()
    page.goto(url)
    return page


def side_by_side(*pages: Page) -> Image.Image:
    """Return one picture of all pages, from left to right."""
    whole = Image.new("RGB", (len(pages) * (WIDTH + GAP) - GAP, HEIGHT), BACKGROUND)
    for number, page in enumerate(pages):
        screenshot = Image.open(io.BytesIO(page.screenshot(style=STYLE)))
        whole.paste(screenshot.convert("RGB"), (number * (WIDTH + GAP), 0))
    return whole


def play(browser: Browser, server: str) -> list[Image.Image]:
    """Play the game and return a picture of the invitation, of the first position and of each position after it."""
    ada, grace = (post(f"{server}/api/players", {"name": name}) for name in ("Ada", "Grace"))
    room = {"variant": "classic", "opponent": "friend", "mark": "X"}
    links = {name: link for name, link in post(f"{server}/api/rooms", room, ada["token"]).items() if "url" in name}
    left = open_page(browser, ada, links["watch_url"].replace(PUBLIC_URL, server))
    right = open_page(browser, grace, links["url"].replace(PUBLIC_URL, server))
    left.locator(".board-overlay .share input.link").wait_for()
    right.locator(".invitation button[type=submit]").wait_for()
    pictures = [side_by_side(left, right)]

    right.locator(".invitation button[type=submit]").click()
    for page in (left, right):
        page.locator(".room[data-phase=playing]").wait_for()
        page.locator(".board").scroll_into_view_if_needed()
    pictures.append(side_by_side(left, right))
    for ply, cell in enumerate(MOVES):
        mover = (left, right)[ply % 2]
        mover.locator(f"[data-cell='{cell}']").click()
        mover.mouse.move(0, 0)
        for page in (left, right):
            page.locator(f"[data-cell='{cell}'][data-mark]:not(.pending)").wait_for()
        pictures.append(side_by_side(left, right))
    for page in (left, right):
        page.locator(".room[data-phase=finished] .review-sentence:not(:empty)").wait_for()
    return [*pictures[:-1], side_by_side(left, right)]


def save(pictures: list[Image.Image], path: Path) -> int:
    """Write the pictures as a GIF that repeats for ever, with one palette for all; return its size in bytes."""
    tower = Image.new("RGB", (pictures[0].width, HEIGHT * len(pictures)))
    for number, picture in enumerate(pictures):
        tower.paste(picture, (0, HEIGHT * number))
    palette = tower.quantize(COLOURS, kmeans=3, dither=Image.Dither.NONE)
    first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    durations = [FIRST_MS, *[MOVE_MS] * (len(others) - 1), LAST_MS]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    return path.stat().st_size


def main() -> None:
    """Parse the command line, record the game and write the picture."""
    parser = argparse.ArgumentParser(description="Record the moving picture of the README.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "game.gif")
    options = parser.parse_args()
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with (
        tempfile.TemporaryDirectory() as data,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium(), args=flags) as browser,
    ):
        server = RunningServer(Path(data), None, "--public-url", PUBLIC_URL, "--workers", "1").start()
        try:
            pictures = play(browser, server.url)
        finally:
            server.stop()
    size = save(pictures, options.out)
    print(f"{options.out}: {len(pictures)} frames, {size:,} bytes")
    if size > MAX_BYTES:
        raise SystemExit(f"The picture has more than {MAX_BYTES:,} bytes.")


if __name__ == "__main__":
    main()
