"""A device whose clock is wrong, or is set while somebody plays, shows the same times as any other.

Seen in chess servers: "4 days left" for a game of three, and a clock at zero after the device had found its network time.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.test_days import days_room, visit_as
from tests.support.browser import OpenWindow
from tests.support.player import guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

SET = """hours => {
  const set = Date.now;
  Date.now = () => set.call(Date) + hours * 3_600_000;
}"""


async def test_a_device_a_day_wrong_shows_the_days_that_are_left(
    open_window: OpenWindow, server: RunningServer
) -> None:
    ann, ben = await guest(server.url), await guest(server.url)
    room = await days_room(server, ann, ben, 3)
    fast, slow = await open_window(), await open_window()
    await fast.page.add_init_script(f"({SET})(26)")
    await visit_as(fast, ann)
    await expect(fast.page.get_by_role("link", name="Your turn")).to_contain_text("3 days left")
    await slow.page.add_init_script(f"({SET})(-26)")
    await slow.open(f"/r/{room}")
    await expect(slow.page.locator("[data-mark=X] .clock")).to_have_text("3 days left")


async def test_a_clock_set_in_mid_game_neither_stops_nor_runs_out(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.start("pass_and_play", clock='{"mode":"move","move_ms":60000}')
    await window.play("b2", "a1", "a2")
    clock = window.page.locator(".seat[data-turn] .clock")
    await expect(clock).to_have_text(re.compile("^0:5"))
    for hours in (1, -2):
        await window.page.evaluate(SET, hours)
        shown = await clock.text_content()
        await expect(clock).not_to_have_text(str(shown), timeout=3_000)
        await expect(clock).to_have_text(re.compile("^0:[45]"), timeout=1)


async def test_two_whose_clocks_are_set_while_they_play_see_the_same_times(open_window: OpenWindow) -> None:
    """One clock goes forward and the other one back after each move."""
    x, o = await open_window(), await open_window()
    await x.start("friend", clock='{"mode":"fischer","initial_ms":300000,"increment_ms":0}')
    await o.open(await x.invite_link())
    await o.click("Play as O")
    for mover, cell in ((x, "b2"), (o, "a1"), (x, "c3"), (o, "a3"), (x, "c1")):
        await mover.play(cell)
        await x.page.evaluate(SET, 1)
        await o.page.evaluate(SET, -1)
        for window in (x, o):
            for mark in "XO":
                clock = window.page.locator(f"[data-mark={mark}] .clock")
                await expect(clock).to_have_text(re.compile("^(5:00|4:[45]|0:[12])"), timeout=3_000)
