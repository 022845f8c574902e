"""The board: an ARIA grid for every variant, with pointer, touch and keyboard, on screens of every size."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow

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


async def test_every_variant_is_one_grid_with_one_tab_stop(open_window: OpenWindow) -> None:
    """Draw each variant with all its cells, one tab stop and a name for each cell."""
    player = await open_window()
    for variant, count in CELLS.items():
        await player.start("pass_and_play", variant)
        await player.expect_phase("playing")
        await expect(player.board).to_have_count(1)
        await expect(player.page.locator("[role=grid] [role=row] [role=gridcell]")).to_have_count(count)
        await expect(player.page.locator("[role=gridcell][tabindex='0']")).to_have_count(1)
        first = player.page.locator("[role=gridcell].legal").first
        name = await first.get_attribute("data-cell")
        assert name is not None
        label = {"four-in-a-row": ", drops to a6", "ultimate": ", top left board, playable"}.get(variant, "")
        await expect(first).to_have_accessible_name(f"{name}, empty{label}")
        await first.click()
        await expect(player.page.locator(".cell[data-mark=X]:not(.pending)")).to_have_count(1)


async def test_keyboard_alone_plays_a_game(open_window: OpenWindow) -> None:
    """Move the focus with every key, play with Enter and Space, and announce the outcome."""
    player = await open_window()
    await player.start("pass_and_play")
    await player.expect_phase("playing")
    keyboard = player.page.keyboard
    await player.cell("a1").focus()
    for keys, cell in (
        ((), "a1"),
        (("ArrowRight",), "b1"),
        (("ArrowDown", "Home"), "a2"),
        (("End", "ArrowLeft"), "b2"),
        (("Control+Home", "PageDown"), "a3"),
    ):
        for key in keys:
            await keyboard.press(key)
        await expect(player.cell(cell)).to_be_focused()
        await expect(player.cell(cell)).not_to_have_attribute("aria-disabled", "true")
        await keyboard.press("Enter" if cell != "b2" else " ")
        await expect(player.cell(cell)).to_have_attribute("data-mark", "X" if cell.startswith("a") else "O")
        await expect(player.cell(cell)).to_be_focused()
    await player.expect_status("Player 1 (X) wins")
    await player.expect_announcement("X played a3. Player 1 (X) wins: X completed a line.")
    await expect(player.cell("a2")).to_have_accessible_name("a2, X, in the completed line")
    await expect(player.page.locator(".highlighter")).to_have_count(1)


async def test_focus_and_hover_preview_the_move(open_window: OpenWindow) -> None:
    """Preview the cell that a mark drops to, for the pointer and for the focus."""
    player = await open_window()
    await player.start("pass_and_play", "four-in-a-row")
    await player.expect_phase("playing")
    await player.cell("d1").hover()
    await expect(player.cell("d6")).to_have_class("cell legal preview")
    await player.page.mouse.move(0, 0)
    await player.cell("b2").focus()
    await expect(player.page.locator(".preview")).to_have_count(0)  # the page set this focus, not the player
    await player.page.keyboard.press("ArrowRight")
    await expect(player.page.locator(".preview")).to_have_attribute("data-cell", "c6")
    await expect(player.cell("c2")).to_have_accessible_name("c2, empty, drops to c6")
    await player.page.keyboard.press("Enter")
    await expect(player.cell("c6")).to_have_attribute("data-mark", "X")
    await expect(player.page.locator(".preview")).to_have_attribute("data-cell", "c5")


async def test_vanishing_shows_the_mark_that_disappears_next(open_window: OpenWindow) -> None:
    """Name the fading mark, and remove it with the next move."""
    player = await open_window()
    await player.start("pass_and_play", "vanishing")
    await player.expect_phase("playing")
    await player.play("a1", "b1", "b2", "c1", "a2", "c2")
    await expect(player.cell("a1")).to_have_accessible_name("a1, X, disappears with the next move")
    await player.play("b3")
    await expect(player.cell("a1")).not_to_have_attribute("data-mark", "X")


async def test_ultimate_shows_forced_and_won_boards(open_window: OpenWindow) -> None:
    """Highlight the board of the next move, and put the winner's mark on a board that is won."""
    player = await open_window()
    await player.start("pass_and_play", "ultimate")
    await player.expect_phase("playing")
    await player.play("e5")
    await expect(player.page.locator(".small-board.playable")).to_have_count(1)
    await expect(player.page.locator(".cell.legal")).to_have_count(8)
    # O is sent to a small board from the middle one, and sends X back to it each time.
    await player.play("e4", "e2", "d4", "b2", "f4")
    await expect(player.page.locator(".small-board.o")).to_have_count(1)
    await expect(player.cell("d5")).to_have_accessible_name("d5, empty, middle board, won by O")


async def test_reduced_motion_runs_no_animation(open_window: OpenWindow) -> None:
    """Run no animation if the system asks for reduced motion."""
    player = await open_window(reduced_motion="reduce")
    await player.start("pass_and_play")
    await player.play("a1")
    running = await player.page.evaluate("() => document.getAnimations().length")
    assert running == 0


async def test_pass_and_play_never_shows_a_player_away(open_window: OpenWindow) -> None:
    """Show both players as present in every frame after a reload, though their connections open one after the other."""
    player = await open_window()
    await player.start("pass_and_play")
    await player.expect_phase("playing")
    for _ in range(3):
        await player.page.reload()
        await player.expect_phase("playing")
        presences = await player.page.locator(".seat[data-mark]").evaluate_all(
            "async seats => { const seen = new Set(); const end = performance.now() + 400;"
            " while (performance.now() < end) { for (const seat of seats) seen.add(seat.dataset.presence);"
            " await new Promise(requestAnimationFrame); } return [...seen]; }"
        )
        assert presences == ["here"]


@pytest.mark.parametrize(("variant", "width", "height"), [("gomoku", 1366, 650), ("qubic", 1440, 900)])
async def test_largest_boards_fit_a_laptop(open_window: OpenWindow, variant: str, width: int, height: int) -> None:
    """Show the whole board, and every button."""
    player = await open_window(width, height)
    await player.start("engine", variant, mark="X")
    await expect(player.board).to_be_in_viewport(ratio=1)
    for name in ("Draw", "Take back", "Resign", "More"):
        await expect(player.page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


async def test_clock_counts_down_the_first_move(open_window: OpenWindow) -> None:
    """Show the 30 seconds of the first move, and the clock after it."""
    player = await open_window()
    await player.start("engine", mark="X", clock='{"mode":"move","move_ms":60000}')
    clock = player.page.locator(".seat[data-mark=X] .clock")
    await expect(clock).to_have_attribute("data-label", "first move")
    await expect(clock).to_have_text(re.compile("^0:[012]"))
    await player.play("b2")
    await player.expect_status("Your turn (X).")
    await expect(clock).to_have_text(re.compile("^(1:00|0:5)"))
