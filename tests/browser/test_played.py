"""What the page remembers on the device: the latest games, how they ended, and the levels that were beaten."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import Friends, OpenWindow, box

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_latest_games_are_on_the_start_page(open_window: OpenWindow) -> None:
    """A game that is over is there with its end. It leads to its replay, and Clear removes all of them."""
    player = await open_window(390, 844)
    await player.open()
    await expect(player.page.locator(".played-holder")).to_be_hidden()
    await player.start("engine", level="novice")
    await player.play("b2")
    await player.resign()
    await player.expect_phase("finished")
    await player.open()
    card = player.page.get_by_role("link", name="Tic-tac-toe: you lost to Otto · novice. Replay")
    await expect(card).to_have_attribute("data-ending", "lost")
    await card.click()
    await expect(player.page.locator(".outcome")).to_have_text("O wins")
    await player.page.go_back()
    await player.click("Clear")
    await expect(player.page.locator(".played-holder")).to_be_hidden()
    await player.open()
    await expect(player.page.locator(".played-holder")).to_be_hidden()


async def test_a_friend_can_be_invited_again(friends: Friends) -> None:
    """The person whom you met last is the first thing on the page, with your score. The room shows it too."""
    player, friend = await friends()
    await player.resign()
    await friend.expect_phase("finished")
    await player.expect_phase("finished")
    await player.open()
    rival = player.page.locator(".rival")
    await expect(rival).to_contain_text("leads 1 : 0")
    assert (await box(rival))["y"] < (await box(player.board))["y"] + 100
    await rival.get_by_role("button", name="Play again").click()
    await player.expect_phase("waiting")
    await friend.open(await player.invite_link())
    await friend.click("Play as O")
    await expect(player.page.locator(".upper .seat-total")).to_have_text("all games 0 : 1")
    await expect(friend.page.locator(".upper .seat-total")).to_have_text("all games 1 : 0")


async def test_levels_are_a_ladder(open_window: OpenWindow) -> None:
    """Arrow keys climb it. A beaten level has a tick, and two wins in a row suggest the next one."""
    player = await open_window(390, 844)
    await player.open()
    await player.page.get_by_text("Level: casual").click()
    rungs = player.page.get_by_role("radiogroup", name="Level").get_by_role("radio")
    await expect(rungs).to_have_count(5)
    await rungs.nth(1).focus()
    await player.page.keyboard.press("ArrowRight")
    await expect(player.page.get_by_role("radio", name="skilled")).to_be_checked()
    tally = {"won": 2, "drawn": 0, "lost": 0, "beaten": ["skilled"], "level": "skilled", "run": 2}
    games = {"latest": [], "friends": [], "counted": [], "tallies": {"classic": tally}}
    await player.page.evaluate("games => localStorage.setItem('noughts.played', JSON.stringify(games))", games)
    await player.page.reload()
    await expect(player.page.get_by_role("radio", name="skilled, beaten")).to_be_checked()
    await player.click("Try expert?")
    await expect(player.page.get_by_role("radio", name="expert")).to_be_checked()
    await expect(player.page.locator(".ladder-try")).to_be_hidden()
