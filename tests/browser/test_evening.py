"""A whole evening in one room: whatever comes from outside, nothing on the page moves."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.conftest import StartServer
from tests.support.browser import OpenWindow, Window
from tests.support.layout_shifts import expect_no_shifts, observe_shifts
from tests.support.player import enter, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

FRIEND = "Maximiliane Oberhuber-M"


async def test_a_whole_evening_moves_nothing(open_window: OpenWindow, start_server: StartServer) -> None:
    """In windows of two sizes at the same time."""
    server = start_server(grace_ms=300)
    windows = [await open_window(*size, origin=server.url) for size in ((320, 568), (1440, 900))]
    await asyncio.gather(*[spend_evening(server, window) for window in windows])


async def spend_evening(server: RunningServer, ann: Window) -> None:
    """Meet, talk, offer, miss each other, watch, finish, want a rematch, lose the connection, and leave."""
    await observe_shifts(ann)
    await ann.store(choice={"variant": "classic", "mark": "X"})
    await ann.open()
    await ann.click("Invite a friend")
    room, _, invite = (await ann.invite_link()).rpartition("/")[2].partition("#i=")
    ben = await guest(server.url, FRIEND)
    prompt = ann.page.locator(".prompt")

    async with enter(server, room, ben) as o:
        await o.ask("sit", mark="O", invite=invite)
        await ann.expect_phase("playing")
        for text in ("Good evening", "I have waited for this game since Tuesday, and nothing will distract me now"):
            await o.ok("chat", text=text)
        await ann.play("b2")
        await o.until_room(lambda view: view["game"]["moves"] == ["b2"])
        await o.ok("offer", what="draw", game=1)
        await ann.click("Decline")
        await o.move("a1")
        await o.ok("offer", what="takeback", game=1)
        await ann.click("Accept")
        await o.until_room(lambda view: view["game"]["moves"] == ["b2"])
        await o.move("a1")
        await ann.expect_status("Your turn.")
    await expect(prompt).to_contain_text("away")
    await expect(ann.page.get_by_role("button", name="Choose…")).to_be_visible()
    async with enter(server, room, ben) as o, enter(server, room):
        await expect(prompt).to_be_hidden()
        await ann.play("c1")
        await o.until_room(lambda view: len(view["game"]["moves"]) == 3)
        await o.move("a2")
        await ann.play("a3")
        await expect(ann.page.locator(".review-sentence")).not_to_be_empty()
        await o.ok("offer", what="rematch", game=1)
        await ann.click("Accept rematch")
        await o.until_room(lambda view: view["game"]["number"] == 2)
        await o.move("b2")
        await ann.expect_status("Your turn.")
        await ann.context.set_offline(True)
        await expect(ann.page.locator(".banner")).to_contain_text("You are offline")
        await ann.context.set_offline(False)
        await expect(ann.page.locator(".banner")).to_be_empty()
        await o.ok("resign", game=2)
        await expect(ann.page.locator(".review-sentence")).not_to_be_empty()
        await o.ok("stand")
        await expect(prompt).to_be_visible()
        await ann.click("Choose…")
        await ann.click("Invite a friend")
        await expect(ann.page.locator(".sheet .share input.link")).to_have_value(f"{server.url}/r/{room}#i={invite}")
    await expect_no_shifts(ann)
