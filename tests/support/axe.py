"""axe-core in a browser window: what breaks the rules of WCAG 2.2 AA in the present state of a page."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from playwright.async_api import Page

_SCRIPT: Final = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

_RUN: Final = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await axe.run(document, { runOnly: tags });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}"""


@cache
def _script() -> str:
    """Return the text of axe-core, which ``npm ci`` installs."""
    assert _SCRIPT.is_file(), "axe-core is not installed: run `npm ci`"
    return _SCRIPT.read_text()


async def violations(page: Page) -> list[str]:
    """Return one line for each element that breaks a rule.

    Wait for animations first, because a colour in the middle of one has no contrast of its own. The page's content policy
    does not hold for a script that the debugger evaluates.
    """
    await page.evaluate("() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))")
    await page.evaluate(_script())
    violations: list[str] = await page.evaluate(_RUN)
    return violations
