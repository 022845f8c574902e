"""A line that is down: nothing counts on, and no tap is lost."""

from __future__ import annotations

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.conftest import StartServer
from tests.support.browser import OpenWindow
from tests.support.tcp_proxy import tcp_proxy

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORGOTTEN = """() => new Promise(resolve => {
    const look = () => Object.keys(sessionStorage).some(key => key.includes("move")) ? setTimeout(look) : resolve();
    look();
})"""
"""Resolve when the page keeps no move."""


@pytest.mark.parametrize(("opponent", "reloads"), [("engine", False), ("pass_and_play", True)])
async def test_move_tried_offline_is_sent_later(open_window: OpenWindow, opponent: str, reloads: bool) -> None:
    """Show a tap hollow while no connection opens, and play it when one does, also after a reload."""
    player = await open_window()
    sockets: list[WebSocketRoute] = []
    is_refusing = False

    async def handle(route: WebSocketRoute) -> None:
        if is_refusing:
            await route.close(code=1012)
            return
        route.connect_to_server()
        sockets.append(route)

    await player.page.route_web_socket("**/ws", handle)
    await player.start(opponent)
    await player.play("b2")
    legal = player.page.locator(".cell.legal").first
    await expect(legal).to_be_visible()
    name = await legal.get_attribute("data-cell") or ""
    is_refusing = True
    for connection in sockets:
        await connection.close(code=1012)
    await expect(player.page.locator(".banner")).to_contain_text("Reconnecting")
    await player.cell(name).click()
    await expect(player.page.locator(".banner")).to_contain_text("Your move is kept")
    await expect(player.page.locator(".hollow")).to_have_count(1)
    await expect(player.page.locator(".offline-note")).to_be_hidden()
    is_refusing = False
    if reloads:
        await player.page.reload()
    await expect(player.cell(name)).to_have_attribute("data-mark", "X" if opponent == "engine" else "O")
    await expect(player.page.locator(".hollow")).to_have_count(0)
    await player.page.evaluate(FORGOTTEN)


async def test_kept_move_that_came_too_late_is_explained(pass_and_play: OpenWindow) -> None:
    """Say after a reload that the game went on without the move."""
    player = await pass_and_play()
    await player.play("b2", "a1")
    kept = {"cell": "c3", "ply": 1, "game": 1, "id": "before-the-reload"}
    await player.page.evaluate(
        "kept => sessionStorage.setItem('noughts.move.' + location.pathname.split('/').at(-1), JSON.stringify(kept))",
        kept,
    )
    await player.page.reload()
    await expect(player.toasts).to_contain_text("Your move was not played")
    assert await player.marks() == {"b2": "X", "a1": "O"}


async def test_claim_stands_still(open_window: OpenWindow, start_server: StartServer) -> None:
    """Offer no claim while the line is down: the opponent may be back."""
    server = start_server(grace_ms=100)
    async with tcp_proxy(server.port) as proxy:
        owner = await open_window(origin=f"http://127.0.0.1:{proxy.port}")
        friend = await open_window(origin=server.url)
        await owner.start("friend", mark="X")
        invite = await owner.invite_link()
        await friend.open(invite[invite.index("/r/") :])
        await friend.click("Play as O")
        await owner.play("b2")
        await friend.play("a1")
        await friend.context.close()
        buttons = owner.page.locator(".prompt-buttons")
        await expect(buttons.get_by_role("button")).to_be_enabled()
        proxy.cut()
        await expect(owner.page.locator(".banner")).to_contain_text("Reconnecting")
        await expect(buttons).to_have_attribute("inert", "")
        proxy.mend()
        await expect(owner.page.locator(".banner")).to_have_text("")
        await expect(buttons).not_to_have_attribute("inert", "")


async def test_lobby_says_only_what_the_server_said(open_window: OpenWindow, start_server: StartServer) -> None:
    """Draw the rooms of a lobby paler while the line is down, and show no lobby before there is a room."""
    server = start_server()
    async with tcp_proxy(server.port) as proxy:
        player = await open_window(origin=f"http://127.0.0.1:{proxy.port}")
        await player.open()
        lobby = player.page.locator(".lobby")
        await expect(lobby).to_be_hidden()
        await (await open_window(origin=server.url)).start("anyone")
        await expect(lobby).to_be_visible()
        proxy.cut()
        await expect(lobby).to_have_attribute("data-still", "")
        proxy.mend()
        await expect(lobby).not_to_have_attribute("data-still", "")
