"""The board: an ARIA grid for every variant, played with the keyboard alone, heard by a screen reader."""

from __future__ import annotations

import re

import pytest

from tests.browser.driver import NewWindow, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CELLS = {
    "classic": 9,
    "misere": 9,
    "vanishing": 9,
    "4x4": 16,
    "5x5": 25,
    "four-in-a-row": 42,
    "qubic": 64,
    "gomoku": 225,
    "ultimate": 81,
}


async def test_every_variant_is_one_grid_with_one_tab_stop(window: NewWindow) -> None:
    someone = await window()
    for variant, count in CELLS.items():
        await someone.start("here", variant)
        await someone.in_phase("playing")
        await expect(someone.board).to_have_count(1)
        await expect(someone.page.locator("[role=grid] [role=row] [role=gridcell]")).to_have_count(count)
        await expect(someone.page.locator("[role=gridcell][tabindex='0']")).to_have_count(1)
        first = someone.page.locator("[role=gridcell].legal").first
        name = await first.get_attribute("data-cell")
        assert name is not None
        tail = {"four-in-a-row": ", drops to a6", "ultimate": ", board 1, playable"}.get(variant, "")
        await expect(first).to_have_accessible_name(f"{name}, empty{tail}")
        await first.click()
        await expect(someone.page.locator(".cell[data-mark=X]:not(.pending)")).to_have_count(1)


async def test_a_game_with_the_keyboard_alone(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here")
    await someone.in_phase("playing")
    keyboard = someone.page.keyboard
    await someone.cell("a1").focus()
    for keys, cell in (
        ((), "a1"),
        (("ArrowRight",), "b1"),
        (("ArrowDown", "Home"), "a2"),
        (("End", "ArrowLeft"), "b2"),
        (("Control+Home", "PageDown"), "a3"),
    ):
        for key in keys:
            await keyboard.press(key)
        await expect(someone.cell(cell)).to_be_focused()
        await expect(someone.cell(cell)).not_to_have_attribute("aria-disabled", "true")
        await keyboard.press("Enter" if cell != "b2" else " ")
        await expect(someone.cell(cell)).to_have_attribute("data-mark", "X" if cell.startswith("a") else "O")
        await expect(someone.cell(cell)).to_be_focused()
    await someone.says("Player 1 (X) wins")
    await someone.heard("X played a3. Player 1 (X) wins: X completed a line.")
    await expect(someone.cell("a2")).to_have_accessible_name("a2, X, in the line")
    await expect(someone.page.locator(".stroke.shown")).to_have_count(1)


async def test_focus_and_hover_show_where_the_mark_would_go(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here", "four-in-a-row")
    await someone.in_phase("playing")
    await someone.cell("d1").hover()
    await expect(someone.cell("d6")).to_have_class("cell legal aim")
    await someone.cell("c2").focus()
    await expect(someone.page.locator(".aim")).to_have_attribute("data-cell", "c6")
    await expect(someone.cell("c2")).to_have_accessible_name("c2, empty, drops to c6")
    await someone.page.keyboard.press("Enter")
    await expect(someone.cell("c6")).to_have_attribute("data-mark", "X")
    await expect(someone.page.locator(".aim")).to_have_attribute("data-cell", "c5")


async def test_qubic_changes_layers_by_key(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here", "qubic")
    await someone.in_phase("playing")
    await someone.cell("b2.1").focus()
    await someone.page.keyboard.press("PageDown")
    await expect(someone.cell("b2.2")).to_be_focused()


async def test_vanishing_shows_the_mark_that_leaves(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here", "vanishing")
    await someone.in_phase("playing")
    await someone.play("a1", "b1", "b2", "c1", "a2", "c2")
    await expect(someone.cell("a1")).to_have_accessible_name("a1, X, leaves with the next move")
    await someone.play("b3")
    await expect(someone.cell("a1")).not_to_have_attribute("data-mark", "X")


async def test_ultimate_marks_the_forced_and_the_decided_boards(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here", "ultimate")
    await someone.in_phase("playing")
    await someone.play("e5")
    await expect(someone.page.locator(".small.forced")).to_have_count(1)
    await expect(someone.page.locator(".cell.legal")).to_have_count(8)
    # O is sent to a small board from the middle one, and sends X back to it each time.
    await someone.play("e4", "e2", "d4", "b2", "f4")
    await expect(someone.page.locator(".small[data-mark=O]")).to_have_count(1)
    await expect(someone.cell("d5")).to_have_accessible_name("d5, empty, board 5, won by O")


async def test_reduced_motion_moves_nothing(window: NewWindow) -> None:
    someone = await window(reduced_motion="reduce")
    await someone.start("here")
    await someone.play("a1")
    running = await someone.page.evaluate("() => document.getAnimations().length")
    assert running == 0


async def test_a_finger_on_tiny_cells_aims_before_it_plays(window: NewWindow) -> None:
    someone = await window(360, 640, has_touch=True)
    await someone.start("here", "gomoku")
    await someone.in_phase("playing")
    await someone.cell("h8").tap()
    await expect(someone.page.locator("#toasts")).to_contain_text("Tap h8 again")
    await expect(someone.page.locator(".cell[data-mark]")).to_have_count(0)
    await someone.cell("h8").tap()
    await expect(someone.cell("h8")).to_have_attribute("data-mark", "X")


async def test_a_telephone_on_its_side_shows_the_whole_board(window: NewWindow) -> None:
    someone = await window(width=844, height=390)
    await someone.start("here")
    await someone.in_phase("playing")
    box = await someone.board.bounding_box()
    assert box is not None
    assert 240 <= box["height"] <= 390
    assert not await someone.scrolls_sideways()


async def test_nobody_on_one_screen_is_ever_away(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here")
    await someone.in_phase("playing")
    for _ in range(3):
        await someone.page.reload()
        await someone.in_phase("playing")
        shown = await someone.page.locator(".seat[data-mark]").evaluate_all(
            "async seats => { const seen = new Set(); const end = performance.now() + 400;"
            " while (performance.now() < end) { for (const seat of seats) seen.add(seat.dataset.presence);"
            " await new Promise(requestAnimationFrame); } return [...seen]; }"
        )
        assert shown == ["here"]


async def test_the_largest_board_fits_a_laptop(window: NewWindow) -> None:
    someone = await window(1366, 650)
    await someone.start("engine", "gomoku", Your_mark="X")
    await expect(someone.board).to_be_in_viewport(ratio=1)


async def test_the_time_for_the_first_move_is_seen_to_run(window: NewWindow) -> None:
    someone = await window()
    await someone.start("engine", Your_mark="X", Clock='{"mode":"move","move_ms":60000}')
    clock = someone.page.locator(".seat[data-mark=X] .clock")
    await expect(clock).to_have_attribute("data-label", "first move")
    await expect(clock).to_have_text(re.compile("^0:[012]"))
    await someone.play("b2")
    await someone.says("Your turn, X.")
    await expect(clock).to_have_text(re.compile("^(1:00|0:5)"))
