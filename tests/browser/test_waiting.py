"""Waiting for a friend: a game against the engine meanwhile, what the owner may choose, and the friend's knock."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.test_sounds import KEEP
from tests.support.browser import OpenWindow, Window
from tests.support.layout_shifts import expect_no_shifts, observe_shifts

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHIME_HZ = [659, 523]
TOUCHED_AT_ARRIVAL = """() => {
  const { left, top, width, height } = document.querySelector(".share .primary").getBoundingClientRect();
  new MutationObserver(() => requestAnimationFrame(() => {
    window.touched ??= document.elementFromPoint(left + width / 2, top + height / 2).className;
  })).observe(document.querySelector(".room"), { attributeFilter: ["data-phase"] });
}"""
"""Keep what a finger touches that aims at the main button when the game begins."""
ONLY_A_TAP_BEGINS = """{
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...values) => (ms === 3000 ? 0 : setTimeout(run, ms, ...values));
}"""
"""Let no time end the wait after a friend's arrival, however slow the machine is."""


async def take_seat(friend: Window, link: str) -> None:
    """Sit down as O, under a name."""
    await friend.open(link)
    await friend.page.get_by_label("Your name (optional)").fill("Ada")
    await friend.click("Play as O")


async def test_the_engine_plays_until_the_friend_is_here(open_window: OpenWindow) -> None:
    """On a phone, also in a branch of that game. The page says over the board who is here, and a tap begins their game."""
    owner, friend = await open_window(390, 844), await open_window()
    await owner.page.add_init_script(KEEP + ONLY_A_TAP_BEGINS)
    await owner.start("friend")
    link = await owner.invite_link()
    await owner.click("Warm up against Otto")
    await owner.play("b2")
    await expect(owner.page.locator(".cell[data-mark=O]")).to_have_count(1)
    await owner.expect_status("Waiting for your friend.")
    await owner.click("Invite a friend")
    assert await owner.invite_link() == link
    await owner.click("Warm up against Otto")
    await expect(owner.page.locator(".cell[data-mark]")).to_have_count(2)  # the same game
    await owner.resign()
    await owner.click("Review")
    await owner.click("First move")
    await owner.cell("c3").click()
    await expect(owner.page.locator(".room[data-branch]")).to_be_visible()
    await owner.click("Back to the game")
    await expect(owner.page.locator(".review-buttons")).to_be_visible()
    await take_seat(friend, link)
    await expect(owner.page.locator(".knock")).to_contain_text("Ada is here.")
    assert await owner.page.evaluate("given.tones.slice(-2)") == CHIME_HZ
    await expect(owner.page.locator(".upper .seat-name")).to_have_text("Ada")
    await owner.page.locator(".knock").click()
    await expect(owner.page.locator("[data-awaits]")).to_have_count(0)
    assert await owner.marks() == {}
    await owner.play("c1")
    await expect(friend.page.locator(".cell[data-mark=X]")).to_have_count(1)
    assert await owner.page.evaluate("localStorage.getItem('noughts.room')") is None  # no way back to the game before
    assert owner.page.url == link.partition("#")[0]


async def test_a_desk_has_the_card_beside_a_board_to_play_on(open_window: OpenWindow) -> None:
    """A tap on the board behind the card is the first move against the engine. The card is one tap away."""
    owner = await open_window(1440, 900)
    await owner.start("friend")
    await owner.cell("b2").click()
    await expect(owner.cell("b2")).to_have_attribute("data-mark", "X")
    await expect(owner.page.locator(".cell[data-mark=O]")).to_have_count(1)
    await owner.click("Invite a friend")
    await expect(owner.page.get_by_role("img", name="QR code of the invite link")).to_be_visible()


async def test_the_card_folds_and_no_tap_meant_for_it_reaches_the_board(open_window: OpenWindow) -> None:
    owner, friend = await open_window(390, 844, has_touch=True), await open_window()
    await observe_shifts(owner)
    await owner.start("friend")
    await owner.button("Copy link").wait_for()
    await owner.page.evaluate(TOUCHED_AT_ARRIVAL)
    await take_seat(friend, await owner.invite_link())
    await owner.page.wait_for_function("() => window.touched === 'knock'")
    await expect(owner.page.locator(".board-overlay")).to_be_hidden()
    await expect(owner.page.locator(".knock")).to_be_hidden()
    assert await owner.marks() == {}
    await expect_no_shifts(owner)


async def test_an_invitation_offers_time_a_series_and_a_fair_start(open_window: OpenWindow) -> None:
    """One line tells what is chosen, and opens the choices. The friend reads it before the game."""
    owner, friend = await open_window(390, 844), await open_window()
    await owner.start("friend", "vanishing")
    terms = owner.page.locator(".board-overlay .terms > summary")
    await expect(terms).to_have_text("No hurry · one by one")
    await terms.click()
    await owner.page.get_by_label("Series").select_option("first to 3")
    await owner.page.get_by_label("Fair start").check()
    await owner.page.get_by_label("Time for each move").select_option("3 days")
    await expect(terms).to_have_text("3 days per move · first to 3 · Fair start")
    await friend.open(await owner.invite_link())
    await expect(friend.page.locator(".invitation")).to_contain_text("Clock: 3 days per move · first to 3 · Fair start")
