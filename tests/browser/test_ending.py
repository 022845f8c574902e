"""The end of a game: nothing of it before the last mark is drawn, what moves and when, and what never waits."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import Friends, OpenWindow, box
from tests.support.layout_shifts import expect_no_shifts

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG: Final = "a2 a1 c2 c1 a3 b3 b1 a2 b2 a1 c2 c1 a3 b3 b1 b2 a2 a1 c2 c1 a3 b3 b1".split()
"""Moves of vanishing that end in a draw."""
AT: Final = """ms => {
  for (const animation of document.getAnimations()) { animation.pause(); animation.currentTime = ms; }
  const opacity = selector => Number(getComputedStyle(document.querySelector(selector)).opacity);
  const strip = document.querySelector(".seat[data-winner]");
  const scale = strip ? new DOMMatrix(getComputedStyle(strip, "::before").transform).a : 0;
  const marks = [...document.querySelectorAll(".marks .board-mark:not(.in-line)")].map(
    node => Number(getComputedStyle(node).opacity));
  return { title: opacity(".outcome-line"), sentence: opacity(".review-sentence"), strip: scale, others: marks };
}"""
"""Hold all animations at a time after the last move, and return what is seen of the end."""


async def ending(page: Page) -> str:
    """Return what the end is to the person of a window, once it has come."""
    room = page.locator(".room[data-ending]")
    await room.wait_for(state="attached")
    return await room.get_attribute("data-ending") or ""


async def test_a_win_is_played_out_in_900_ms(friends: Friends) -> None:
    """Draw the mark, then the line. Fill the strip at 520 ms, and show the card at 700. Rematch waits for nothing."""
    x, o = await friends(390, 844)
    for cell, mover in zip(("b2", "a1", "c1", "a2"), [x, o] * 2, strict=True):
        await mover.play(cell)
    await x.hold_animations()
    await x.cell("a3").click()
    assert (await ending(x.page), await ending(o.page)) == ("won", "lost")
    before = await x.page.evaluate(AT, 190)
    assert (before["title"], before["sentence"], before["strip"]) == (0, 0, 0)
    assert before["others"] == [1, 1]
    await expect(x.button("Rematch")).to_be_enabled()
    await expect(x.page.locator(".flying")).to_have_count(14)
    await expect(o.page.locator(".flying")).to_have_count(0)
    middle = await x.page.evaluate(AT, 700)
    assert middle["title"] == 0
    assert 0.3 < middle["strip"] < 1
    after = await x.page.evaluate(AT, 900)
    assert (after["title"], after["sentence"], after["strip"]) == (1, 1, 1)
    assert after["others"] == [pytest.approx(0.78)] * 2
    await x.page.evaluate("() => document.getAnimations().forEach(animation => animation.finish())")
    await expect(x.page.locator(".flying")).to_have_count(0)
    for window in (x, o):
        await expect_no_shifts(window)


async def test_a_draw_is_an_equals_sign(pass_and_play: OpenWindow) -> None:
    """Draw "=" over the board once."""
    player = await pass_and_play()
    cells = "b2 a1 c1 a3 a2 c2 b3 b1 c3".split()
    await player.play(*cells[:-1])
    await player.cell(cells[-1]).click()
    assert await ending(player.page) == "draw"
    await expect(player.page.locator(".equals path")).to_have_count(2)
    await expect(player.page.locator(".equals")).to_have_count(0)


async def test_an_end_that_was_not_seen_is_not_played(pass_and_play: OpenWindow) -> None:
    """After a reload the card is there at once, and with reduced motion nothing flies or moves."""
    player = await pass_and_play("classic", 390, 844, reduced_motion="reduce")
    await player.play("b2", "a1", "c1", "a2", "a3")
    await expect(player.page.locator(".outcome")).to_have_css("opacity", "1")
    assert await player.page.evaluate("() => document.getAnimations().length") == 0
    await player.page.reload()
    await expect(player.page.locator(".outcome")).to_have_text("Player 1 wins")
    await expect(player.page.locator(".room")).not_to_have_attribute("data-ending", "seen")


async def test_a_dot_of_the_ribbon_opens_its_move(pass_and_play: OpenWindow) -> None:
    """From ten moves on, say in one line what the ribbon means. A touch near a dot opens the review at that move."""
    player = await pass_and_play("vanishing", 390, 844, has_touch=True)
    await player.play(*LONG)
    await expect(player.page.locator(".legend").first).to_contain_text("X winsDrawO winsa mistake")
    dots = player.page.locator(".card-ribbon .segment[data-changed]")
    await expect(dots.first).to_be_visible()
    ply = await dots.first.evaluate("dot => [...dot.parentNode.children].indexOf(dot) + 1")
    dot = await box(dots.first)
    await player.page.touchscreen.tap(dot["x"] + dot["width"] / 2 + 2, dot["y"] + dot["height"] / 2)
    await expect(player.page.locator(".ply-text")).to_contain_text(f"{ply}. ")
    await expect(player.page.locator(f".review .segment:nth-child({ply})[data-shown]")).to_be_visible()
