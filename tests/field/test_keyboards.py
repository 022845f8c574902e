"""Keys work by their place where the keyboard writes another script.

Seen in web games: R and ? were dead on Russian, Arabic and Greek keyboards.
"""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

PRESS = """(init) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }))"""


async def test_the_key_of_help_opens_on_an_arabic_keyboard(open_window: OpenWindow) -> None:
    window = await (await open_window()).open()
    await expect(window.page.locator(".start .cell.legal").first).to_be_visible()
    dialog = window.page.locator(".keys-dialog")
    await window.page.evaluate(PRESS, {"key": "؟", "code": "Slash", "shiftKey": True, "repeat": True})
    await window.page.evaluate(PRESS, {"key": "؟", "code": "Slash", "shiftKey": True, "isComposing": True})
    await expect(dialog).to_have_count(0)
    await window.page.evaluate(PRESS, {"key": "؟", "code": "Slash", "shiftKey": True})
    await expect(dialog).to_be_visible()


async def test_an_announcement_is_in_the_dialog_that_is_open(open_window: OpenWindow) -> None:
    """The page around a modal dialog is inert, so a screen reader says nothing of it."""
    window = await open_window()
    await window.start("pass_and_play")
    await window.expect_phase("playing")
    await window.page.keyboard.press("?")
    dialog = window.page.locator(".keys-dialog")
    await expect(dialog).to_be_visible()
    await window.page.evaluate("""async () => {
      const script = document.querySelector("script[type=module]").src;
      (await import(script)).announce("O played a1.");
    }""")
    await expect(dialog.locator(".announcements")).to_have_text("O played a1.")
