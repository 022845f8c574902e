"""What happens when the line does not hold, or the server does not know us."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import WebSocketRoute

from tests.browser.driver import NewWindow, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_offline_is_said_and_overcome(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here")
    await someone.in_phase("playing")
    banner = someone.page.locator(".banner")
    await someone.context.set_offline(True)
    await expect(banner).to_contain_text("You are offline")
    await expect(someone.page.locator(".cell.legal")).to_have_count(0)
    await someone.context.set_offline(False)
    await expect(banner).to_have_text("")
    await someone.play("b2")


async def test_a_command_whose_answer_was_lost_is_sent_again_with_its_id(window: NewWindow) -> None:
    someone = await window()
    moves: list[str] = []
    cut = False

    async def handle(route: WebSocketRoute) -> None:
        nonlocal cut
        server = route.connect_to_server()
        deaf = False

        def to_server(message: str | bytes) -> None:
            nonlocal deaf
            if json.loads(message)["type"] == "move":
                moves.append(json.loads(message)["id"])
                deaf = len(moves) == 1
            server.send(message)

        async def to_page(message: str | bytes) -> None:
            nonlocal cut
            if not deaf:
                route.send(message)
            elif json.loads(message)["type"] == "ok" and not cut:
                cut = True
                await route.close(code=1012)

        route.on_message(to_server)
        server.on_message(to_page)

    await someone.page.route_web_socket("**/ws", handle)
    await someone.start("engine", Your_mark="X")
    await someone.cell("b2").click()
    await expect(someone.page.locator(".cell[data-mark=O]")).to_have_count(1)
    assert cut
    assert len(moves) == 2
    assert moves[0] == moves[1]
    assert (await someone.marks())["b2"] == "X"


async def test_reconnecting_is_said_and_the_seat_is_still_ours(window: NewWindow) -> None:
    someone = await window()
    sockets: list[WebSocketRoute] = []
    refuse = False

    async def handle(route: WebSocketRoute) -> None:
        if refuse:
            await route.close(code=1012)
            return
        route.connect_to_server()
        sockets.append(route)

    await someone.page.route_web_socket("**/ws", handle)
    await someone.start("engine", Your_mark="X")
    refuse = True
    await sockets[-1].close(code=1012)
    await expect(someone.page.locator(".banner")).to_contain_text("Reconnecting")
    refuse = False
    await expect(someone.page.locator(".banner")).to_have_text("")
    await someone.play("b2")


async def test_a_wrong_token_is_dropped_and_explained(window: NewWindow) -> None:
    host, someone = await window(), await window()
    await host.start("friend", Your_mark="X")
    await someone.open()
    await someone.page.evaluate(
        "() => localStorage.setItem('noughts.guest', JSON.stringify({token: 'wrong', player: {id: 'p_1', name: 'Q'}}))"
    )
    await someone.open(await host.invite_link())
    await expect(someone.page.locator("#toasts")).to_contain_text("no longer knows your guest pass")
    await someone.press("Sit down as O")
    await host.in_phase("playing")


async def test_a_second_device_holds_the_same_seat(window: NewWindow) -> None:
    first = await window()
    await first.start("engine", Your_mark="X")
    second = await window(storage_state=await first.context.storage_state())
    await second.open(first.page.url)
    await second.play("b2")
    await expect(first.cell("b2")).to_have_attribute("data-mark", "X")


async def test_a_refusal_is_told_in_a_sentence(window: NewWindow) -> None:
    someone = await window()

    async def handle(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def to_server(message: str | bytes) -> None:
            command = json.loads(message)
            if command["type"] == "move":
                command["ply"] = 7
            server.send(json.dumps(command))

        route.on_message(to_server)

    await someone.page.route_web_socket("**/ws", handle)
    await someone.start("engine", Your_mark="X")
    await someone.cell("b2").click()
    await expect(someone.page.locator(".toast")).not_to_be_empty()
    await expect(someone.page.locator(".cell[data-mark]")).to_have_count(0)
    await expect(someone.cell("b2")).to_have_class("cell legal aim")


async def test_a_restart_of_the_server_loses_neither_game_nor_seat(
    window: NewWindow, start_server: Callable[..., Any]
) -> None:
    server = start_server()
    someone = await window(origin=server.url)
    await someone.start("engine", Your_mark="X")
    await someone.play("b2")
    await expect(someone.page.locator(".cell.legal").first).to_be_visible()
    before = await someone.marks()
    server.kill()
    await expect(someone.page.locator(".banner")).to_contain_text("Reconnecting")
    server.start()
    await expect(someone.page.locator(".banner")).to_have_text("")
    assert await someone.marks() == before
    await someone.page.locator(".cell.legal").first.click()
    await expect(someone.page.locator(".cell[data-mark=X]:not(.pending)")).to_have_count(2)


async def test_a_code_moves_the_guest_to_another_device(window: NewWindow) -> None:
    here, there = await window(), await window()
    await here.start("engine", Your_mark="X")
    await here.page.locator(".who").click()
    await here.press("Get a code")
    code = here.page.locator(".code")
    await expect(code).not_to_be_empty()
    await there.open(here.page.url)
    await there.in_phase("playing")
    await expect(there.page.locator(".cell.legal")).to_have_count(0)
    await there.page.locator(".who").click()
    await there.page.get_by_label("Code from the other device").fill(await code.inner_text())
    await there.press("Use code")
    await there.press("Close")
    await there.play("b2")
    await here.press("Close")
    await expect(here.cell("b2")).to_have_attribute("data-mark", "X")
    await there.page.locator(".who").click()
    await there.press("Forget me")
    await there.press("Yes, forget me")
    await expect(there.page.locator(".who")).to_have_text("Guest")
    await expect(there.page.locator(".cell.legal")).to_have_count(0)


async def test_who_is_forgotten_at_their_own_wish_is_told_only_that(window: NewWindow) -> None:
    someone = await window()
    await someone.start("engine", Your_mark="X")
    await expect(someone.page.locator(".cell.legal").first).to_be_visible()
    await someone.page.locator(".who").click()
    await someone.press("Forget me")
    await someone.press("Yes, forget me")
    await expect(someone.page.locator(".toast", has_text="You are forgotten here.")).to_be_visible()
    await expect(someone.page.locator(".toast")).to_have_count(1)
