"""Two friends: a series to a number of wins, a fair start, a little more time, and a screen that stays on."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import WAKE_LOCKS, OpenWindow, Window, box
from tests.support.player import friends_room, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


NATIVE_SHARING = "() => { navigator.share = async ({ text, url }) => { window.shared = { text, url }; }; }"


LONG_HEADLINE = """(headline) => {
  headline.textContent = "Maximiliane of Wonderland won the series";
  headline.style.setProperty("--letters", headline.textContent.length);
}"""


async def two_windows(open_window: OpenWindow, server: RunningServer, **options: object) -> tuple[Window, Window]:
    """Seat two friends in a room with these settings, each in a window. The first one is X."""
    ann = await guest(server.url, "Ann")
    made = await friends_room(server, ann, **options)
    x, o = await open_window(390, 844), await open_window(390, 844)
    for window in (x, o):
        await window.page.add_init_script(WAKE_LOCKS)
    await x.store(guest={"token": ann.token, "player": ann.player})
    await x.open(f"/r/{made['room']['id']}")
    await o.open(f"/r/{made['room']['id']}#i={made['invite']}")
    await o.click("Play as O")
    await x.expect_phase("playing")
    return x, o


async def test_a_series_to_two(open_window: OpenWindow, server: RunningServer) -> None:
    """The bars show a mark for each win, the next game is one tap away, and the end of the series is told as such."""
    x, o = await two_windows(open_window, server, first_to=2)
    await o.resign()
    await expect(x.page.locator(".lower .win-marks > [data-won]")).to_have_count(1)
    await expect(x.page.locator(".lower .win-marks > i")).to_have_count(2)
    await expect(x.page.locator(".room[data-within]")).to_have_count(1)  # so its end is half a second shorter
    await x.click("Next game")
    await o.page.locator(".rematch").click()
    await o.expect_phase("playing")
    await o.resign()
    await expect(x.page.locator(".outcome")).to_have_text("You won the series")
    await expect(o.page.locator(".outcome")).to_have_text("Ann won the series")
    await expect(x.page.locator(".room[data-within]")).to_have_count(0)
    long = o.page.locator(".outcome")
    one_line = (await box(long))["height"]
    await long.evaluate(LONG_HEADLINE)
    assert (await box(long))["height"] <= one_line


async def test_the_link_of_a_series_holds_all_its_games(open_window: OpenWindow, server: RunningServer) -> None:
    """Small boards with their winners are in the review and on the page of the link, which needs no room."""
    x, o = await two_windows(open_window, server, first_to=2)
    for player, other in ((x, o), (o, x)):
        for cells in zip(("b2", "c1", "a3"), ("a1", "a2", None), strict=True):
            for window, cell in zip((player, other), cells, strict=True):
                if cell:
                    await window.play(cell)
        await x.expect_phase("finished")
        if player is x:
            await x.click("Next game")
            await o.page.locator(".rematch").click()
            await o.expect_phase("playing")
    await x.click("Next game")
    await o.page.locator(".rematch").click()
    await o.expect_phase("playing")
    await o.resign()
    await expect(x.page.locator(".outcome")).to_have_text("You won the series")
    await x.page.evaluate(NATIVE_SHARING)
    await x.click("Share")
    await x.page.wait_for_function("() => window.shared")
    shared = await x.page.evaluate("window.shared")
    assert shared["text"].startswith("Tic-tac-toe · Ann won the series · 2 : 1\n")
    game = "=b2a1c1a2a3"
    assert shared["url"] == f"{x.origin}/replay#series&classic.a{game}&classic.b{game}&classic.a=~resignation.X"
    await x.click("Review")
    await expect(x.page.locator(".series-games button")).to_have_count(3)
    stranger = await (await open_window(390, 844)).open(shared["url"])
    await expect(stranger.page.locator(".series-score")).to_have_text("2 : 1")
    await stranger.page.locator(".series-games button").first.click()
    await expect(stranger.page.locator(".series-games [aria-current]")).to_have_count(1)
    await expect(stranger.page.locator(".outcome")).to_have_text("X wins")
    await expect(stranger.page.locator(".review-sentence")).to_contain_text("With , O left a line open.")


async def test_a_fair_start(open_window: OpenWindow, server: RunningServer) -> None:
    """O takes X's side after the first move: the board stays, the bars change marks, and both are told."""
    x, o = await two_windows(open_window, server, variant="vanishing", swap=True)
    await x.play("b1")
    await o.click("Take X's side")
    await expect(x.toasts).to_contain_text("The players have swapped sides.")
    await expect(x.page.locator(".lower")).to_have_attribute("data-mark", "O")
    await expect(o.page.locator(".lower")).to_have_attribute("data-mark", "X")
    await x.play("b2")
    await o.play("a1")
    await x.resign()
    gift = "With the swap rule,  was a gift: the side that takes it wins."
    await expect(x.page.locator(".review-sentence")).to_contain_text(gift)


async def test_o_may_keep_its_side(open_window: OpenWindow, server: RunningServer) -> None:
    """*Play on* puts the question away, and the room goes on as ever."""
    x, o = await two_windows(open_window, server, variant="vanishing", swap=True)
    await x.play("b1")
    await o.click("Play on")
    await expect(o.page.locator(".prompt")).to_be_hidden()
    await o.play("b2")
    await expect(o.page.locator(".lower")).to_have_attribute("data-mark", "O")
    await x.play("a1")


async def test_time_for_the_opponent_and_a_screen_that_stays_on(open_window: OpenWindow, server: RunningServer) -> None:
    """The button stands at the opponent's clock, and both see and hear what it adds. The lock ends with the game."""
    x, o = await two_windows(open_window, server, clock={"mode": "fischer", "initial_ms": 600_000, "increment_ms": 0})
    await x.play("b2")
    await o.play("a1")
    await o.page.get_by_role("button", name="Ann: +15 s").click()
    await expect(x.page.locator(".lower .clock")).to_contain_text("10:1")
    await expect(x.toasts).to_contain_text("Ann: +15 s")
    assert await x.page.evaluate("window.locks.map(({kind, released}) => [kind, released])") == [["screen", False]]
    await x.resign()
    await x.expect_phase("finished")
    assert await x.page.evaluate("window.locks.every(({released}) => released)")
