"""A finger on a board: on large boards a first touch chooses a cell and enlarges the board, and a second one plays."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow, Window, box

pytestmark = pytest.mark.asyncio(loop_scope="session")

SLANTED: Final = re.compile(r"^matrix\(1 0 0\.6 0\.44 ")


async def gomoku(pass_and_play: OpenWindow, **options: Any) -> Window:
    """Return a telephone with an empty board of gomoku."""
    player = await pass_and_play("gomoku", 390, 844, has_touch=True, **options)
    return player


async def test_the_first_touch_chooses_and_enlarges(pass_and_play: OpenWindow) -> None:
    """Show a ghost, a crosshair and the cell's name, and twice the size. A second touch plays and ends it."""
    player = await gomoku(pass_and_play)
    before = await box(player.cell("h8"))
    await player.cell("h8").tap()
    await expect(player.page.locator(".ghost.x")).to_have_count(1)
    await expect(player.page.locator(".crosshair")).to_have_count(1)
    await player.expect_status("h8: tap again to play there.")
    await expect(player.board).to_have_attribute("data-enlarged", "")
    await player.page.wait_for_function("() => document.getAnimations().length === 0")
    after = await box(player.cell("h8"))
    assert after["width"] == pytest.approx(2 * before["width"], rel=0.01)
    await expect(player.cell("h8")).to_be_in_viewport(ratio=1)
    await player.cell("h8").tap()
    await expect(player.cell("h8")).to_have_attribute("data-mark", "X")
    await expect(player.board).not_to_have_attribute("data-enlarged", "")
    await expect(player.page.locator(".crosshair")).to_have_count(0)


async def drag_to_i7(player: Window) -> None:
    """Touch h8, and drag over i8 to i7."""
    await player.cell("h8").tap()
    await player.page.wait_for_function("() => document.getAnimations().length === 0")
    session = await player.context.new_cdp_session(player.page)

    async def touch(kind: str, cell: str | None) -> None:
        at = await player.cell(cell).bounding_box() if cell else None
        points = [{"x": at["x"] + at["width"] / 2, "y": at["y"] + at["height"] / 2}] if at else []
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    await touch("touchStart", "h8")
    for cell in ("i8", "i7"):
        await touch("touchMove", cell)
    await player.expect_status("i7: tap again to play there.")
    await touch("touchEnd", None)


async def test_a_tap_after_a_drag_plays(pass_and_play: OpenWindow) -> None:
    """Choose the cell under the finger, and play nothing when it is lifted.

    A tap that follows at once plays: a quick drag is no fling that the tap would only stop.
    """
    player = await gomoku(pass_and_play)
    await drag_to_i7(player)
    assert await player.marks() == {}
    await player.cell("i7").tap()
    await expect(player.cell("i7")).to_have_attribute("data-mark", "X")


async def test_a_touch_elsewhere_takes_the_choice_back(pass_and_play: OpenWindow) -> None:
    """End the choice and the enlargement with a touch outside the board."""
    player = await gomoku(pass_and_play)
    await player.cell("c3").tap()
    await expect(player.board).to_have_attribute("data-confirming", "")
    await player.page.touchscreen.tap(5, 840)
    await expect(player.board).not_to_have_attribute("data-confirming", "")
    await player.expect_status("Player 1 (X) to move.")


async def test_a_small_board_plays_at_the_first_touch(pass_and_play: OpenWindow) -> None:
    """Play at once where cells are few, and with a mouse on any board."""
    player = await pass_and_play("classic", 390, 844, has_touch=True)
    await player.cell("b2").tap()
    await expect(player.cell("b2")).to_have_attribute("data-mark", "X")
    await player.start("pass_and_play", "gomoku")
    await player.expect_phase("playing")
    await player.cell("h8").click()
    await expect(player.cell("h8")).to_have_attribute("data-mark", "X")


async def test_layers_become_a_stack_on_request(pass_and_play: OpenWindow) -> None:
    """Draw qubic as a slanted stack with the same cells, and keep the choice."""
    player = await pass_and_play("qubic")
    flat = await box(player.cell("a1.4"))
    await player.click("More")
    await player.click("Show the layers as a stack")
    await expect(player.page.locator(".cell .area").first).to_have_attribute("transform", SLANTED)
    assert await box(player.cell("a1.4")) != flat
    await player.play("a1.4")
    await player.page.reload()
    await expect(player.page.locator(".cell .area").first).to_have_attribute("transform", SLANTED)


async def test_a_rack_is_not_enlarged(pass_and_play: OpenWindow) -> None:
    """Let the disc wait above the chosen column of a rack, whose columns are wide enough for a finger."""
    player = await pass_and_play("four-in-a-row", 320, 568, has_touch=True)
    await player.cell("c2").tap()
    await expect(player.page.locator(".waiting.x")).to_have_count(1)
    await expect(player.board).not_to_have_attribute("data-enlarged", "")
    await player.cell("c4").tap()
    await expect(player.cell("c6")).to_have_attribute("data-mark", "X")
