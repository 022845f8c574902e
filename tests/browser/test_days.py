"""A game of days: its clock in words, the list of your games, and your other devices."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.support.axe import violations
from tests.support.browser import OpenWindow, Window
from tests.support.layout_shifts import expect_no_shifts, observe_shifts
from tests.support.player import Api, enter, friends_room, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

BADGES = "window.badges = []; navigator.setAppBadge = async (count) => void window.badges.push(count);"


async def visit_as(window: Window, player: Api, **stored: str) -> None:
    """Open the start page as a guest, with values that the browser has stored."""
    await window.store(guest={"token": player.token, "player": player.player}, **stored)
    await window.open()


async def days_room(server: RunningServer, owner: Api, friend: Api, days: int, mark: str = "X") -> str:
    """Make a room in which the owner has a mark, and let the friend sit down. Return its id."""
    answer: Any = await friends_room(server, owner, mark=mark, clock={"mode": "days", "days": days})
    async with enter(server, answer["room"]["id"], friend) as socket:
        await socket.ask("sit", mark="O" if mark == "X" else "X", invite=answer["invite"])
    return str(answer["room"]["id"])


async def test_your_games_come_your_turn_first_and_move_nothing(open_window: OpenWindow, server: RunningServer) -> None:
    """List three of five games where they have their place, and all of them after a tap."""
    ann = await guest(server.url, "Ann")
    later, sooner = [await days_room(server, ann, await guest(server.url, "Ben"), days) for days in (7, 3)]
    theirs = await days_room(server, ann, await guest(server.url, "Cy"), 1, "O")
    waiting = (await friends_room(server, ann))["room"]["id"]
    ended = await days_room(server, ann, await guest(server.url, "Dee"), 1)
    async with enter(server, ended, ann) as socket:
        await socket.ask("resign")
    window = await open_window(390, 844)
    await observe_shifts(window)
    await window.page.add_init_script(BADGES)
    await visit_as(window, ann, games="5")
    links = window.page.locator(".game")
    await expect(links).to_have_count(3)
    await expect(window.page).to_have_title("(2) Noughts")
    assert await window.page.evaluate("window.badges") == [2]
    await expect_no_shifts(window)
    assert await violations(window.page, "your games") == []
    await window.click("Show all 5")
    await expect(links).to_have_count(5)
    await expect(links.nth(3)).to_be_focused()
    rooms = [href.rpartition("/")[2] for href in await links.evaluate_all("nodes => nodes.map(node => node.href)")]
    assert rooms == [sooner, later, theirs, waiting, ended]
    await expect(links.nth(2)).to_contain_text("Cy Tic-tac-toe Their turn 23 hours left")
    await expect(links.nth(3)).to_contain_text("No opponent yet")
    await links.nth(4).click()
    await window.expect_phase("finished")
    await window.page.get_by_role("link", name="Noughts: go to the start page").click()
    await expect(links).to_have_count(4)
    await window.click("Give up this room")
    await window.page.locator(".question .danger").click()
    await expect(links).to_have_count(3)
    assert [room["id"] for room in (await ann.get("/api/players/me/rooms"))["rooms"]] == [sooner, later, theirs, ended]


async def test_a_game_against_the_engine_does_not_nag(open_window: OpenWindow) -> None:
    """Show neither a row nor a number: one line leads to the newest, for an hour or until you dismiss it."""
    window = await open_window(390, 844)
    await window.page.add_init_script(BADGES)
    await window.open()
    for _ in range(2):
        await window.cell("b2").click()
        await expect(window.page.locator(".cell[data-mark=O]")).to_have_count(1)
        room = window.page.url
        async with window.page.expect_response("**/players/me/rooms"):
            await window.page.get_by_role("link", name="Noughts: go to the start page").click()
        line = window.page.get_by_role("link", name="Go on with your game")
        await expect(line).to_have_count(1)
    await expect(line).to_have_attribute("href", "/r/" + room.rpartition("/")[2])
    await expect(window.page).to_have_title("Noughts")
    await window.page.wait_for_function("window.badges.length")
    assert await window.page.evaluate("Math.max(...window.badges)") == 0
    await expect(window.page.locator(".game")).to_have_count(0)
    await window.page.reload()
    await window.click("Close")
    await expect(line).to_have_count(0)
    await window.page.reload()
    await expect(window.page.locator(".start .cell.legal").first).to_be_visible()
    await expect(line).to_have_count(0)


async def test_a_guest_without_games_sees_no_list(open_window: OpenWindow, server: RunningServer) -> None:
    """Neither a visitor, nor a guest who holds no seat."""
    window = await open_window()
    async with window.page.expect_response("**/players/me/rooms"):
        await visit_as(window, await guest(server.url, "Ann"))
    await expect(window.page.locator(".daily-puzzle")).to_be_visible()
    await expect(window.page.get_by_role("heading", name="Games in progress")).to_be_hidden()


async def test_games_of_a_new_device_come_below(open_window: OpenWindow, server: RunningServer) -> None:
    """A device that has never listed them leaves no room for them, so they come at the end.

    In the longest language, a narrow screen shows all of the time that is left.
    """
    ann = await guest(server.url, "Ann")
    await days_room(server, ann, await guest(server.url, "Ben"), 3)
    window = await open_window(320, 640, locale="de-DE")
    await observe_shifts(window)
    await visit_as(window, ann)
    await expect(window.page.locator(".lobby-holder .game")).to_have_count(1)
    await window.page.reload()
    await expect(window.page.locator(".start-choices .game")).to_have_count(1)
    await expect(window.page.locator(".game")).to_contain_text("noch 3 Tage")
    assert await window.page.locator(".game-text > :last-child").evaluate(
        "line => line.scrollWidth <= line.clientWidth"
    )
    await expect_no_shifts(window)
