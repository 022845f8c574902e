"""Tournaments on the page: three taps to host one, three to join, boards that open by themselves, the wall, the end."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import expect

from tests.support.axe import violations
from tests.support.browser import WAKE_LOCKS, OpenWindow, Window, box
from tests.support.player import guest
from tests.support.server import RunningServer
from tests.support.tournament_client import begun_cup, new_cup, playing

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _hosted(open_window: OpenWindow, mode: str = "arena") -> tuple[Window, str]:
    """Return the host's window with a new tournament of tic-tac-toe, and the PIN."""
    host = await open_window(1440, 900)
    await host.open()
    await host.click("New tournament")
    await host.page.get_by_label("Mode").select_option(mode)
    await host.click("Create")
    await host.page.wait_for_selector(".pin:not(:empty)")
    return host, (await host.page.inner_text(".pin")).replace(" ", "")


async def _joined(open_window: OpenWindow, pin: str, name: str) -> Window:
    """Return the window of an entrant who typed the PIN."""
    window = await open_window(390, 844, has_touch=True)
    await window.open("/join")
    await window.page.fill(".pin-input", pin)
    await window.page.fill("input[autocomplete=nickname]:visible", name)
    await window.click("Join")
    await window.page.wait_for_selector(".tournament-status:has-text('You are in')")
    await expect(window.page.locator("h1")).to_be_focused()
    return window


async def test_three_people_play_an_arena_from_the_pin_to_the_winner(open_window: OpenWindow) -> None:
    host, pin = await _hosted(open_window)
    ann, ben = await _joined(open_window, pin, "Ann"), await _joined(open_window, pin, "Ben")
    await expect(host.page.locator(".standings tbody tr")).to_have_count(2)
    assert await violations(host.page, "tournament open") == []
    wall = await open_window(1280, 720)
    await wall.page.add_init_script(WAKE_LOCKS)
    await wall.open(f"{host.page.url.removeprefix(host.origin)}/wall#p={pin}")
    await expect(wall.page.locator(".wall-pin")).to_have_text(f"{pin[:3]} {pin[3:]}")
    assert await wall.page.evaluate("window.locks.map(({released}) => released)") == [False]
    await host.page.click("text=Start the tournament")
    await expect(host.page.locator("h1")).to_be_focused()  # the button that had the focus is gone
    for entrant in (ann, ben):  # no tap: the board opens by itself
        await entrant.page.wait_for_selector(".tournament-match [data-cell]")
    await ann.expect_announcement("You play Ben")
    await expect(wall.page.locator(".tournament-boards li")).to_have_count(1)
    assert await violations(ann.page, "tournament match") == []
    await ann.page.reload()  # an entrant who comes back is on the board again
    await ann.page.wait_for_selector(".tournament-match [data-cell]")
    await ann.click("Standings")  # an entrant can pause and a host can ring the bell while the match is on
    await expect(ann.button("Pause")).to_be_visible()
    await ann.page.click("text=All matches")
    await expect(ann.page.locator(".matches li")).to_have_count(1)
    await expect(ann.page.locator(".matches a")).to_have_count(0)  # a link would lead away from the next match
    await ann.click("Back to the board")
    await expect(ann.page.locator(".tournament-match h1")).to_be_focused()
    await host.page.click("text=Ring the bell")
    await host.page.click(".danger >> text=Ring the bell")
    await ann.resign()
    # The end of the first game stays on the board for a moment.
    await ann.page.wait_for_selector(".tournament-clock:has-text('The next game')")
    await expect(ann.page.locator(".rematch")).to_be_hidden()
    await ann.page.wait_for_selector(".outcome-card", state="hidden")
    await ann.resign()
    await host.page.wait_for_selector(".tournament-clock:has-text('The tournament is over')")
    # The last position stays on the wall for a moment, then comes the winner.
    await wall.page.wait_for_selector(".wall:has(.wall-clock:has-text('is over')) .tournament-boards [data-won]")
    await expect(wall.page.locator(".wall-winner h2")).to_have_text("Ben")
    await ben.page.wait_for_selector("text=You win the tournament!")
    await expect(ben.page.locator(".standings tbody tr").first).to_contain_text("Ben")
    await expect(ben.page.locator(".matches a")).to_have_count(1)
    assert await violations(ben.page, "tournament over") == []


async def test_the_names_of_a_class_are_tapped_once(open_window: OpenWindow) -> None:
    host = await open_window(1000, 800)
    await host.open()
    await host.click("New tournament")
    await host.page.click("dialog summary")
    await host.page.fill("dialog textarea", "Mia\nKim,  Noah\nMia\nAbe\tLee\n")
    await host.click("Create")
    await host.page.wait_for_selector(".pin:not(:empty)")
    pin = (await host.page.inner_text(".pin")).replace(" ", "")
    pupil = await open_window(320, 640)
    await pupil.open(f"{host.page.url.removeprefix(host.origin)}#p={pin}")
    await expect(pupil.page.locator(".join-names button")).to_have_text(["Mia", "Kim, Noah", "Abe Lee"])
    assert "p=" not in pupil.page.url
    await pupil.click("Kim, Noah")
    await expect(host.page.locator(".standings tbody th")).to_have_text(re.compile("Noah"))
    assert not await pupil.scrolls_sideways()
    await host.page.locator(".standings button").click()
    await host.click("Free the name")  # the pupil may choose another one
    await host.page.locator(".question .danger").click()
    await pupil.page.click("text=Join a tournament")
    await expect(pupil.page.locator(".pin-input")).to_be_focused()


async def test_the_wall_shows_the_newest_names_whole(open_window: OpenWindow, server: RunningServer) -> None:
    cup = await new_cup(server)
    for number in range(1, 61):
        await cup.entrant(name=f"Pupil {number} with a surname")
    wall = await open_window(1280, 720)
    await wall.open(f"/t/{cup.id}/wall#p={cup.pin}")
    await wall.page.wait_for_selector(".wall-door .qr")
    names = wall.page.locator(".wall-names li")
    await expect(names.first).to_have_text("Pupil 60 with a surname")
    await expect(names.last).to_have_text(re.compile(r"And \d+ more"))
    count = await names.count()
    await expect(names.last).to_have_text(f"And {60 - count + 1} more")
    below, last = await box(wall.page.locator(".wall-door")), await box(names.last)
    assert last["y"] + last["height"] <= below["y"]


@pytest.mark.parametrize("locale", ["en", "ar"])
async def test_a_cross_table_scrolls_inside_a_narrow_page(
    open_window: OpenWindow, server: RunningServer, locale: str
) -> None:
    cup = await begun_cup(server, 8, "round_robin")
    window = await open_window(320, 640, locale=locale)
    await window.open(f"/t/{cup.id}")
    await expect(window.page.locator(".cross-table tbody tr")).to_have_count(8)
    assert not await window.scrolls_sideways()


async def test_a_knockout_ends_with_the_winners_own_crown(open_window: OpenWindow, server: RunningServer) -> None:
    """Its wall is the bracket, which fits on a phone and counts games. The winner's own page has crown, rain and *Copy*."""
    cup = await new_cup(server, "knockout")
    entrants = await cup.entrants(3)
    wall = await open_window(1280, 720)
    await wall.open(f"/t/{cup.id}/wall#p={cup.pin}")
    await expect(wall.page.locator(".wall-names li")).to_have_count(3)
    await cup.ok("start")
    await expect(wall.page.locator(".wall-bracket .bracket")).to_contain_text("Player 2")
    await expect(wall.page.locator(".wall .standings")).to_be_hidden()
    async with playing(entrants):
        await cup.until_over()
    first = next(row for row in await cup.standings() if row["rank"] == 1)
    winner = next(entrant for entrant in entrants if entrant.number == first["entrant"])
    await expect(wall.page.locator(".wall-winner h2")).to_have_text(first["name"])
    phone = await open_window(390, 844, has_touch=True)
    account = json.dumps({"token": winner.api.token, "player": winner.api.player})
    await phone.page.add_init_script(f"localStorage.setItem('noughts.guest', {json.dumps(account)})")
    await phone.open(f"/t/{cup.id}#p={cup.pin}")
    await expect(phone.page.locator(".own-crown .wall-crown")).to_be_visible()
    await expect(phone.page.locator(".own-crown .confetti .mark")).to_have_count(40)
    await expect(phone.page.locator(".own-crown").get_by_role("button")).not_to_have_count(0)
    await expect(phone.page.locator(".pin")).to_be_hidden()  # for those who are not in
    bracket = await box(phone.page.locator(".bracket"))
    assert bracket["x"] >= 0
    assert bracket["x"] + bracket["width"] <= 390
    points = await phone.page.locator(".bracket-points").all_text_contents()
    assert {text for text in points if text} <= {"0", "½", "1", "1½", "2"}
    assert "2" in points or "1½" in points or "1" in points
    assert await violations(phone.page, "tournament won") == []


async def test_enter_after_the_pin_joins_without_a_name_no_more(open_window: OpenWindow, server: RunningServer) -> None:
    """Ignore Enter for a moment after the sixth digit, and join under a name only. A dead link leads to the PIN."""
    _, pin = await _hosted(open_window)
    ann = await guest(server.url, "Ann")
    pupil = await open_window(390, 844)
    await pupil.store(guest={"token": ann.token, "player": ann.player})
    page = (await pupil.open()).page
    await page.get_by_role("link", name="Join a tournament by PIN").click()
    await expect(page.locator(".pin-input")).to_be_focused()
    await page.keyboard.type(pin)
    name = page.locator("input[name=name]")
    await expect(name).to_be_focused()
    await expect(name).to_have_value("Ann")
    await page.keyboard.press("Enter")
    await expect(name).to_be_visible()
    await name.fill(" ")
    await pupil.click("Join")
    await expect(name).to_be_visible()
    await page.goto(pupil.origin + "/t/nothing")
    await expect(page.get_by_role("link", name="Join a tournament")).to_be_visible()


async def test_the_wall_shows_no_pin_without_its_link(open_window: OpenWindow) -> None:
    host, _ = await _hosted(open_window)
    wall = await open_window(1920, 1080)
    await wall.open(f"{host.page.url.removeprefix(host.origin)}/wall")
    await wall.page.wait_for_selector(".wall[data-state=open]")
    await expect(wall.page.locator(".wall-door")).to_be_hidden()
    await expect(wall.page.locator("button:visible, a:visible")).to_have_count(0)


async def test_the_host_renames_removes_and_joins_by_keyboard(open_window: OpenWindow) -> None:
    host, pin = await _hosted(open_window, "knockout")
    await _joined(open_window, pin, "Ann")
    await host.page.locator(".standings button", has_text="Ann").focus()
    await host.page.keyboard.press("Enter")
    await host.page.fill("dialog input", "Anna")
    await host.page.keyboard.press("Enter")
    await expect(host.page.locator(".standings button")).to_have_text("Anna")
    await host.page.locator(".standings button").press("Enter")
    await host.page.click("dialog >> text=Remove")
    await host.page.click("dialog .danger")
    await expect(host.page.locator(".standings tbody tr")).to_have_count(0)
    await host.click("Play too")
    await expect(host.page.get_by_label("Your name", exact=True)).to_be_focused()
    await host.page.keyboard.press("Control+A")
    await host.page.keyboard.type("Hanna")
    await host.page.keyboard.press("Enter")
    await expect(host.page.locator(".standings button")).to_have_text("Hanna")
    await expect(host.button("Play too")).to_be_hidden()


async def test_an_unknown_tournament_is_a_sentence(open_window: OpenWindow) -> None:
    window = await open_window(390, 844)
    await window.page.goto(f"{window.origin}/t/nowhere")
    await window.page.wait_for_selector("text=This tournament does not exist")
