"""The page in its languages: which one a browser gets, the menu, and the direction of page and board."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from noughts.rules.variant import VARIANTS
from tests.support.browser import OpenWindow, box

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("locale", "language", "button", "game"),
    [("de-AT", "de", "Freund einladen", "Vier gewinnt"), ("ja-JP", "en", "Invite a friend", "Four in a row")],
)
async def test_the_page_speaks_the_browsers_language(
    open_window: OpenWindow, locale: str, language: str, button: str, game: str
) -> None:
    """Translate the page's texts and the server's, and say so to the browser. Show an unknown language in English."""
    window = await (await open_window(locale=locale)).open()
    await expect(window.page.get_by_role("button", name=button)).to_be_visible()
    await expect(window.page.get_by_text(game)).to_be_visible()
    await expect(window.page.locator("html")).to_have_attribute("lang", language)
    await expect(window.page.locator("html")).to_have_attribute("dir", "ltr")


async def test_the_menu_changes_the_language(open_window: OpenWindow) -> None:
    """Keep the choice in this browser, until the browser's own language is chosen again."""
    window = await (await open_window()).open()
    await window.click("Settings")
    await window.page.get_by_label("Language").select_option("Español")
    await expect(window.page.get_by_role("button", name="Invitar a un amigo")).to_be_visible()
    await window.page.reload()
    await window.click("Ajustes")
    await window.page.get_by_label("Idioma").select_option("como el navegador")
    await expect(window.page.get_by_role("button", name="Invite a friend")).to_be_visible()


RECTANGLES = """() => {
  const board = document.querySelector(".board").getBoundingClientRect();
  const rectangle = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return [left - board.left, top - board.top, width, height].map((pixels) => Math.round(pixels));
  };
  const cells = [...document.querySelectorAll("[role=gridcell]")].map((node) => [node.dataset.cell, rectangle(node)]);
  const shapes = [...document.querySelectorAll(".board :is(path, rect, circle)")].map((node) => rectangle(node));
  return [["board", Math.round(board.width), Math.round(board.height)], ...cells, ...shapes];
}"""
"""Return where each cell, line and corner of the board lies, in pixels from the board's own corner."""


async def test_a_board_is_the_same_right_to_left(open_window: OpenWindow) -> None:
    """Draw every corner, line and cell of all nine boards in the same place as left to right, below a mirrored header."""
    windows = [await (await open_window(390, 844, locale=locale)).open() for locale in ("en", "ar")]
    arabic = windows[1]
    await expect(arabic.page.locator("html")).to_have_attribute("dir", "rtl")
    for width in (320, 390):
        await arabic.page.set_viewport_size({"width": width, "height": 844})
        brand, guest = await box(arabic.page.locator(".brand")), await box(arabic.page.locator(".guest-button"))
        assert brand["x"] > guest["x"]
        assert await arabic.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for variant in VARIANTS:
        boards = []
        for window in windows:
            await window.choose(variant)
            await expect(window.cell("a1.1" if variant == "qubic" else "a1")).to_be_visible()
            boards.append(await window.page.evaluate(RECTANGLES))
        assert boards[0] == boards[1], variant
        assert len(boards[0]) > 9


async def test_time_goes_from_left_to_right(open_window: OpenWindow) -> None:
    """Draw the ribbon of a game in the order of its moves, also right to left."""
    window = await (await open_window(390, 844, locale="ar")).open()
    await window.page.locator(".start-buttons button").last.click()
    await expect(window.page.locator(".room .board")).to_be_visible()
    await window.play("b2", "a1", "c1", "a2", "a3")
    await window.page.locator(".commands .review").click()
    segments = window.page.locator(".review .ribbon .segment")
    await expect(segments).to_have_count(5)
    lefts = await segments.evaluate_all("nodes => nodes.map((node) => node.getBoundingClientRect().left)")
    assert lefts == sorted(lefts)


async def test_a_rejection_is_told_in_the_pages_language(open_window: OpenWindow) -> None:
    """The sentence of the server has a translation in each language."""
    window = await (await open_window(locale="de")).open()
    await window.page.locator(".guest-button").click()
    await window.page.get_by_role("button", name="Ich habe einen Code").click()
    await window.page.get_by_label("Code vom anderen Gerät").fill("WRONGCODE")
    await window.page.get_by_role("button", name="Code benutzen").click()
    toast = window.page.locator(".dialog-toasts .toast")
    await expect(toast).to_have_text(
        "Dieser Code ist falsch, benutzt oder abgelaufen. Hol dir auf dem anderen Gerät einen neuen."
    )
