"""Keys: a game from the first move to the rematch without a pointer, cells by their names, and the list of keys."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.async_api import Locator, expect

from tests.support.browser import OpenWindow, Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAX_TABS: Final = 40
GAMES: Final = {
    "qubic": "a1.1 b1.1 b2.2 c1.1 c3.3 d2.4 d4.4",
    "ultimate": "e5 d4 b2 e4",
}
"""Moves by variant. Those of qubic end the game."""


async def tab_to(window: Window, target: Locator, key: str = "Tab") -> None:
    """Press Tab until an element has the focus."""
    for _ in range(MAX_TABS):
        if await target.evaluate("node => node === document.activeElement"):
            return
        await window.page.keyboard.press(key)
    await expect(target).to_be_focused()


async def walk_to(window: Window, cell: str) -> None:
    """Move the focus from the focused cell of the board to another one with arrow keys and Page Down."""
    start: str = await window.page.evaluate("document.activeElement.dataset.cell")
    (start_cell, _, start_layer), (end_cell, _, end_layer) = start.partition("."), cell.partition(".")
    for keys, steps in (
        (("ArrowLeft", "ArrowRight"), ord(end_cell[0]) - ord(start_cell[0])),
        (("ArrowUp", "ArrowDown"), int(end_cell[1:]) - int(start_cell[1:])),
        (("PageUp", "PageDown"), int(end_layer or 1) - int(start_layer or 1)),
    ):
        for _ in range(abs(steps)):
            await window.page.keyboard.press(keys[steps > 0])
    await expect(window.cell(cell)).to_be_focused()


@pytest.mark.parametrize("variant", GAMES)
async def test_a_game_by_keys_alone(open_window: OpenWindow, variant: str) -> None:
    """Choose a game, start it, play it to its end, review it, and play it again."""
    window = await (await open_window()).open()
    page, keyboard = window.page, window.page.keyboard
    await expect(window.cell("b2").or_(window.cell("b2.1"))).to_be_visible()
    await tab_to(window, page.locator(".variants input:checked"))
    for _ in range(9):
        if await page.locator(".variants input:checked").get_attribute("value") == variant:
            break
        await keyboard.press("ArrowRight")
    await tab_to(window, page.get_by_role("button", name="Two on this screen"), "Shift+Tab")
    await keyboard.press("Enter")
    await window.expect_phase("playing")
    await tab_to(window, page.locator(".room [role=gridcell][tabindex='0']"))
    moves = GAMES[variant].split()
    for turn, cell in enumerate(moves):
        await walk_to(window, cell)
        await expect(window.cell(cell)).not_to_have_attribute("aria-disabled", "true")
        await keyboard.press("Enter")
        await expect(window.cell(cell)).to_have_attribute("data-mark", "XO"[turn % 2])
        await expect(page.locator(".cell.pending")).to_have_count(0)
        await expect(window.cell(cell)).to_be_focused()
    if variant == "ultimate":
        await tab_to(window, page.locator(".commands .resign"))
        await keyboard.press("Enter")
        await expect(window.button("Cancel")).to_be_focused()
        await keyboard.press("Shift+Tab")
        await expect(window.button("Resign?")).to_be_focused()
        await expect(window.button("Resign?")).to_be_enabled()  # once it can be read
        await keyboard.press("Enter")
    await window.expect_phase("finished")
    await tab_to(window, page.get_by_role("button", name="Review", exact=True))
    await keyboard.press("Enter")
    await expect(page.get_by_label("Move", exact=True)).to_be_focused()
    await keyboard.press("Home")
    await expect(page.locator(".marks .board-mark")).to_have_count(0)
    await keyboard.press("ArrowRight")
    await expect(page.locator(".marks .board-mark")).to_have_count(1)
    await keyboard.press("End")
    await expect(page.locator(".marks .board-mark")).to_have_count(len(moves))
    await keyboard.press("r")
    await window.expect_phase("playing")
    await expect(page.locator("[role=gridcell]:focus")).to_have_count(1)


async def test_keys_of_one_character_can_be_turned_off(open_window: OpenWindow) -> None:
    """Say so in the list of all keys, and keep the choice (WCAG 2.1.4)."""
    window = await (await open_window()).open()
    await expect(window.cell("b2")).to_be_visible()
    await window.page.keyboard.press("?")
    await expect(window.page.locator(".keys-dialog kbd").first).to_be_visible()
    keys = await window.page.locator(".keys-dialog kbd").all_inner_texts()
    assert {"R", "M", "?", "←", "→", "↑", "↓", "Home", "End", "Page Up", "Page Down", "Enter", "Esc"} <= set(keys)
    await window.page.get_by_label("Use keys of one character").uncheck()
    await window.page.keyboard.press("Escape")
    await window.page.reload()
    await expect(window.cell("b2")).to_be_visible()
    await window.page.keyboard.press("?")
    await window.click("Settings")
    await expect(window.page.locator("dialog[open]")).to_have_count(1)
    await window.click("Keys")
    await expect(window.page.get_by_label("Use keys of one character")).not_to_be_checked()


async def test_the_first_move_by_key_keeps_the_focus(open_window: OpenWindow) -> None:
    """Play the first move from the start page with Enter, and go on with the arrows from the same cell."""
    window = await (await open_window()).open()
    await expect(window.cell("b2")).to_be_visible()
    await window.cell("b2").focus()
    await window.page.keyboard.press("Enter")
    await window.expect_phase("playing")
    await expect(window.cell("b2")).to_be_focused()
    await window.page.keyboard.press("ArrowRight")
    await expect(window.cell("c2")).to_be_focused()


async def test_a_replay_is_stepped_by_key_at_once(open_window: OpenWindow) -> None:
    """Use arrows, Home and End without a click, on the page and in the frame."""
    for path in ("/replay#classic=b2,a1,c1,a2,a3", "/embed/replay#classic=b2,a1,c1,a2,a3"):
        window = await (await open_window()).open(path)
        marks = window.page.locator(".board-mark")
        for key, count in (("ArrowLeft", 4), ("Home", 0), ("ArrowRight", 1), ("End", 5)):
            await expect(marks.first.or_(window.page.locator(".grid-line").first).first).to_be_attached()
            await window.page.keyboard.press(key)
            await expect(window.page.locator(".board-mark:not(.leaving)")).to_have_count(count)
