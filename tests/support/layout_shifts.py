"""Layout shifts of a page in Chromium, as in https://wicg.github.io/layout-instability/.

A shift in the half second after an input counts too, so the sum is stricter than the metric Cumulative Layout Shift.
"""

from __future__ import annotations

from typing import Any, Final

from tests.support.browser import Window

MAX_SUM: Final = 0.005
"""The largest sum of shifts that an evening may have."""

_OBSERVE: Final = """
window.shifts = [];
new PerformanceObserver(list => {
  for (const { value, sources } of list.getEntries()) {
    const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
    const names = sources.map(({ node, previousRect, currentRect }) =>
      `${node?.className ?? node?.nodeName}: ${box(previousRect)} to ${box(currentRect)}`);
    window.shifts.push([value, ...names]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


async def observe_shifts(window: Window) -> None:
    """Begin to collect the shifts of each page that the window opens from now on."""
    await window.page.add_init_script(_OBSERVE)


async def expect_no_shifts(window: Window) -> None:
    """Check the sum of the shifts since the page was opened. A failure names the elements that moved."""
    await window.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shifts: list[list[Any]] = await window.page.evaluate("() => window.shifts")
    assert sum(value for value, *_ in shifts) < MAX_SUM, shifts
