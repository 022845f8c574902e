"""The connection: unknown tokens, rejections, and one guest on two devices."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_unknown_token_is_discarded_and_explained(open_window: OpenWindow) -> None:
    """Discard a token that the server does not know, say so, and let the visitor sit as a new friend."""
    owner, player = await open_window(), await open_window()
    await owner.start("friend", mark="X")
    await player.open()
    await player.page.evaluate(
        "() => localStorage.setItem('noughts.guest', JSON.stringify({token: 'wrong', player: {id: 'p_1', name: 'Q'}}))"
    )
    await player.open(await owner.invite_link())
    await expect(player.toasts).to_contain_text("no longer knows your guest account")
    await player.click("Play as O")
    await owner.expect_phase("playing")


async def test_rejection_is_shown_in_a_toast(open_window: OpenWindow) -> None:
    """Show the reason of a rejected move, and let the player move again."""
    player = await open_window()

    async def handle(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def to_server(message: str | bytes) -> None:
            command = json.loads(message)
            if command["type"] == "move":
                command["ply"] = 7
            server.send(json.dumps(command))

        route.on_message(to_server)

    await player.page.route_web_socket("**/ws", handle)
    await player.start("engine", mark="X")
    await player.cell("b2").click()
    await expect(player.page.locator(".toast")).not_to_be_empty()
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(0)
    await expect(player.cell("b2")).to_have_class(re.compile("legal"))


async def test_code_brings_the_guest_to_another_device(open_window: OpenWindow) -> None:
    """Use the guest account on a second device, and delete it there, which one toast confirms."""
    here, there = await open_window(), await open_window()
    await here.start("engine", mark="X")
    await here.page.locator(".guest-button").click()
    await here.click("Get a code")
    code = here.page.locator(".code")
    await expect(code).not_to_be_empty()
    await there.open(here.page.url)
    await there.expect_phase("playing")
    await expect(there.page.locator(".cell.legal")).to_have_count(0)
    await there.page.locator(".guest-button").click()
    await there.click("I have a code")
    await there.page.get_by_label("Code from the other device").fill(await code.inner_text())
    await there.click("Use code")
    await there.click("Close")
    await there.play("b2")
    await here.click("Close")
    await expect(here.cell("b2")).to_have_attribute("data-mark", "X")
    await there.page.locator(".guest-button").click()
    await there.click("Delete your guest account")
    await there.click("Yes, delete it")
    await expect(there.page.locator(".toast")).to_have_text("Your guest account was deleted.")
    await expect(there.page.locator(".guest-button")).to_contain_text("You")
    await expect(there.page.locator(".cell.legal")).to_have_count(0)
