"""Access: axe in every state of the page, keys, and what a screen reader and a zoomed page lose."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.support.axe import violations
from tests.support.browser import OpenWindow, Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUT = """() => {
  const shown = [...document.querySelectorAll("main *, .top *")]
    .filter((node) => node.checkVisibility() && !node.closest("svg, .visually-hidden, .board"));
  const cut = (node) => node.matches("button, .button, .seat-name, .status") && node.scrollWidth > node.clientWidth + 1
    && getComputedStyle(node).display !== "inline";
  const beyond = (node) => node.getBoundingClientRect().right > innerWidth + 1 || node.getBoundingClientRect().left < -1;
  return shown.filter((node) => cut(node) || beyond(node)).map((node) => node.className + ": " + node.textContent);
}"""
"""Return what is cut, or reaches beyond the window."""


async def closes(page: Page, dialog: str) -> None:
    """Check an open dialog, and close it."""
    await expect(page.locator(dialog)).to_be_visible()
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    await expect(page.locator(dialog)).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_on_the_start_page(open_window: OpenWindow, scheme: str) -> None:
    """Check the page, its options, and its dialogs."""
    window = await (await open_window(390, 844, color_scheme=scheme)).open()
    page = window.page
    await expect(window.cell("b2")).to_be_visible()
    await page.get_by_text("Options", exact=True).click()
    await expect(page.get_by_label("Clock")).to_be_visible()
    assert await violations(page) == []
    await page.locator(".guest-button").click()
    await closes(page, "dialog.dialog[open]")
    await page.keyboard.press("?")
    await closes(page, ".keys-dialog")
    await page.keyboard.press("/")
    await closes(page, "dialog[aria-labelledby=cell-title]")


@pytest.mark.parametrize("variant", ["vanishing", "four-in-a-row", "qubic", "gomoku", "ultimate"])
async def test_axe_finds_nothing_on_a_board(open_window: OpenWindow, variant: str) -> None:
    window = await open_window(390, 844)
    await window.start("engine", variant)
    cell = window.page.locator("[role=gridcell]:not([aria-disabled])").first
    await cell.click()
    await expect(window.page.locator("[role=gridcell][data-mark=O]").first).to_be_attached()
    assert await violations(window.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_through_an_evening(open_window: OpenWindow, scheme: str) -> None:
    """Check a room with its invitation, a game, each section of its sheet, its end and its review."""
    owner = await open_window(390, 844, color_scheme=scheme)
    friend = await open_window(390, 844, color_scheme=scheme)
    await owner.start("friend", mark="X")
    assert await violations(owner.page) == []
    await friend.open(await owner.invite_link())
    await expect(friend.page.get_by_role("button", name="Play as O")).to_be_visible()
    assert await violations(friend.page) == []
    await friend.click("Play as O")
    await owner.expect_phase("playing")
    await owner.play("b2")
    await friend.page.locator(".commands .chat").click()
    await friend.page.get_by_label("Write a message").fill("Hello")
    await friend.page.keyboard.press("Enter")
    await expect(friend.page.locator(".chat-lines li")).to_have_count(1)
    assert await violations(friend.page) == []
    await friend.page.keyboard.press("Escape")
    for section in ("Rules", "People", "Room settings", "Change game or level"):
        await owner.click("More")
        button = owner.page.locator(".sheet-menu").get_by_role("button", name=section)
        if await button.count():
            await button.click()
        await closes(owner.page, ".sheet")
    await friend.click("Resign")
    await friend.click("Yes, resign")
    await owner.expect_phase("finished")
    assert await violations(owner.page) == []
    await owner.click("Review")
    await expect(owner.page.locator("section.review")).to_be_visible()
    assert await violations(owner.page) == []


@pytest.mark.parametrize("path", ["/r/nope", "/replay#classic=b2,a1,c1,a2,a3", "/replay#classic=z9", "/no-such-page"])
async def test_axe_finds_nothing_on_other_pages(open_window: OpenWindow, path: str) -> None:
    window = await (await open_window(390, 844)).open(path)
    await expect(window.page.locator("main > *").first).to_be_visible()
    assert await violations(window.page) == []


# --- keys ---------------------------------------------------------------------------------------------------------


async def enter_cell(window: Window, name: str) -> None:
    """Open the field for a cell's name with its key, type a name and play it."""
    await window.page.keyboard.press("/")
    await expect(window.page.get_by_label("Cell", exact=True)).to_be_focused()
    await window.page.keyboard.type(name)
    await window.page.keyboard.press("Enter")


async def test_a_cell_is_played_by_its_name(open_window: OpenWindow) -> None:
    """Play the first move and the next ones. A name that cannot be played is told, and the field stays open."""
    window = await (await open_window()).open()
    await expect(window.cell("b2")).to_be_visible()
    await enter_cell(window, "B2")
    await expect(window.page.locator(".room [data-cell=b2]")).to_have_attribute("data-mark", "X")
    await expect(window.page.locator("[role=gridcell][data-mark=O]")).to_have_count(1)
    await enter_cell(window, "b2")
    await expect(window.page.locator("#cell-note")).to_contain_text("You cannot play b2 now.")
    await expect(window.page.get_by_label("Cell", exact=True)).to_be_focused()


async def test_a_column_is_enough_with_gravity(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.start("engine", "four-in-a-row")
    await expect(window.page.locator("[role=gridcell]:not([aria-disabled])").first).to_be_visible()
    await enter_cell(window, "d")
    await expect(window.cell("d6")).to_have_attribute("data-mark", "X")


async def test_keys_of_one_character_can_be_turned_off(open_window: OpenWindow) -> None:
    """Say so in the list of keys, and keep the choice (WCAG 2.1.4)."""
    window = await (await open_window()).open()
    await expect(window.cell("b2")).to_be_visible()
    await window.page.keyboard.press("?")
    await window.page.get_by_label("Use keys of one character").uncheck()
    await window.page.keyboard.press("Escape")
    await window.page.reload()
    await expect(window.cell("b2")).to_be_visible()
    await window.page.keyboard.press("?")
    await window.page.keyboard.press("/")
    await window.page.locator(".guest-button").click()
    await expect(window.page.locator("dialog[open]")).to_have_count(1)
    await window.click("Keys")
    await expect(window.page.get_by_label("Use keys of one character")).not_to_be_checked()


# --- zoom ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "de", "es", "ar"])
async def test_large_text_in_a_narrow_window_loses_nothing(open_window: OpenWindow, language: str) -> None:
    """At 320 px, which is 400 % zoom of 1280 px, and at 200 % text, no text is cut and nothing scrolls sideways."""
    window = await open_window(320, 568, locale=language)
    await window.start("engine")
    for size in ("100%", "200%"):
        await window.page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        assert await window.page.evaluate(CUT) == [], size
