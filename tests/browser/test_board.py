"""The board: an ARIA grid for every variant, with pointer, touch and keyboard, on screens of every size."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from noughts.rules.variant import VARIANTS
from tests.support.axe import violations
from tests.support.browser import OpenWindow, in_words

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORMS = ("vanishing", "four-in-a-row", "qubic", "gomoku", "ultimate")
"""A variant of each form of board."""


async def test_every_variant_is_one_grid_that_a_finger_plays(open_window: OpenWindow) -> None:
    """Draw each variant with all its cells, one tab stop and a name for each cell, on a screen of 320 px too.

    On a phone each tap fills a cell. Only the narrow cells of gomoku need a second one.
    """
    player = await open_window(390, 844, has_touch=True)
    for variant, data in VARIANTS.items():
        await player.start("pass_and_play", variant)
        await player.expect_phase("playing")
        await expect(player.board).to_have_count(1)
        await expect(player.page.locator("[role=grid] [role=row] [role=gridcell]")).to_have_count(data.cells)
        await expect(player.page.locator("[role=gridcell][tabindex='0']")).to_have_count(1)
        first = player.page.locator("[role=gridcell].legal").first
        name = await first.get_attribute("data-cell")
        assert name is not None
        spoken = "layer 1, row 1, column 1" if "." in name else in_words(name)
        label = {"four-in-a-row": ", drops to row 6, column 1", "ultimate": ", top left board, playable"}.get(
            variant, ""
        )
        await expect(first).to_have_accessible_name(f"{spoken}, empty{label}")
        for count in (1, 2):
            for _ in range(2 if variant == "gomoku" else 1):
                await first.tap()
            await expect(player.page.locator(".cell[data-mark]:not(.pending)")).to_have_count(count)
        if variant in FORMS:
            assert await violations(player.page, f"game-{variant}") == []
        await player.page.set_viewport_size({"width": 320, "height": 640})
        assert not await player.scrolls_sideways(), variant
        await player.page.set_viewport_size({"width": 390, "height": 844})


async def test_focus_and_hover_preview_the_move(pass_and_play: OpenWindow) -> None:
    """Preview the cell that a mark drops to, for the pointer and for the focus."""
    player = await pass_and_play("four-in-a-row")
    await player.cell("d1").hover()
    await expect(player.cell("d6")).to_have_class("cell legal preview")
    await player.page.mouse.move(0, 0)
    await player.cell("b2").focus()
    await expect(player.page.locator(".preview")).to_have_count(0)  # the page set this focus, not the player
    await player.page.keyboard.press("ArrowRight")
    await expect(player.page.locator(".preview")).to_have_attribute("data-cell", "c6")
    await expect(player.cell("c2")).to_have_accessible_name("row 2, column 3, empty, drops to row 6, column 3")
    await player.page.keyboard.press("Enter")
    await expect(player.cell("c6")).to_have_attribute("data-mark", "X")
    await expect(player.page.locator(".preview")).to_have_attribute("data-cell", "c5")


async def test_clock_counts_down_the_first_move(open_window: OpenWindow) -> None:
    """Show the 30 seconds of the first move, and the clock after it."""
    player = await open_window()
    await player.start("engine", mark="X", clock='{"mode":"move","move_ms":60000}')
    clock = player.page.locator(".seat[data-mark=X] .clock")
    await expect(clock).to_have_attribute("data-label", "first move")
    await expect(clock).to_have_text(re.compile("^0:[012]"))
    await player.play("b2")
    await player.expect_status("Your turn.")
    await expect(clock).to_have_text(re.compile("^(1:00|0:5)"))


async def test_a_clock_is_red_only_when_time_is_short(open_window: OpenWindow) -> None:
    """With ten seconds a move, only the last two are. After the end no clock is beside the score."""
    player = await open_window()
    await player.page.clock.install()
    await player.start("pass_and_play", clock='{"mode":"move","move_ms":10000}')
    await player.expect_phase("playing")
    await player.play("b2", "a1")
    clock = player.page.locator(".seat[data-mark=X] .clock")
    await expect(clock).to_have_class("clock running")
    await player.page.clock.fast_forward(8_500)
    await expect(clock).to_have_class("clock running low")
    await player.resign()
    await player.expect_phase("finished")
    await expect(player.page.locator(".clock:visible")).to_have_count(0)
