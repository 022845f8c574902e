"""axe-core in a browser window: what breaks the rules of WCAG 2.2 AA in the present state of a page.

``tests/project/test_page_contrast.py`` computes the contrast in the other sets of colours from the one sheet that has them.
With the variable PICTURES in the environment, each checked state leaves pictures in ``build/screens``: ``STATE-LOOK.png``.
"""

from __future__ import annotations

import asyncio
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Page

PICTURES: Final = Path(__file__).parents[2] / "build" / "screens"
_SCRIPT: Final = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

_ANIMATIONS_S: Final = 60.0
"""The longest wait for animations. One that never ends is a fault: only a running clock may repeat."""
_LIGHT: Final = {
    "color_scheme": "light",
    "contrast": "no-preference",
    "forced_colors": "none",
    "reduced_motion": "reduce",
}
"""The colours that axe checks, without motion to wait for."""
_LOOKS: Final = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "contrast": {"contrast": "more"},
    "forced": {"forced_colors": "active"},
}
"""What differs in each set of colours that has a picture."""

_ALL: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_IS_THERE: Final = "() => typeof axe !== 'undefined'"
_RUN: Final = """async (rules) => {
  const { violations } = await axe.run(document, { runOnly: rules });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""


@cache
def _script() -> str:
    """Return the text of axe-core, which ``npm ci`` installs."""
    assert _SCRIPT.is_file(), "axe-core is not installed: run `npm ci`"
    return _SCRIPT.read_text()


async def violations(page: Page, state: str) -> list[str]:
    """Return one line for each element that breaks a rule.

    Wait for animations first, because a colour in the middle of one has no contrast of its own. The page's content policy
    does not hold for a script that the debugger evaluates.
    """
    if not await page.evaluate(_IS_THERE):
        await page.evaluate(_script())
    if "PICTURES" in os.environ:
        for look, differences in _LOOKS.items():
            await _show(page, differences)
            await page.screenshot(path=PICTURES / f"{state}-{look}.png", scale="css")
    await _show(page, {})
    broken: list[str] = await page.evaluate(_RUN, _ALL)
    return [f"{state}: {line}" for line in broken]


async def _show(page: Page, differences: dict[str, Any]) -> None:
    """Show a page in the light colours but for these differences, and wait for its animations."""
    await page.emulate_media(**{**_LIGHT, **differences})
    async with asyncio.timeout(_ANIMATIONS_S):
        await page.evaluate(
            "() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))"
        )
