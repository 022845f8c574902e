"""A room as a program sees it: whole views, and every command, against a server of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve

from noughts.client.client import Client, connect
from noughts.client.errors import Rejected, RoomGone
from noughts.client.room import Room
from noughts.protocol.messages import PROTOCOL, Ok, View, Welcome
from noughts.room.clock import MoveClock
from tests.conftest import StartServer
from tests.support.player import WAIT_S
from tests.support.room_texts import VIEW, room_text
from tests.support.server import RunningServer
from tests.support.tcp_proxy import tcp_proxy
from tests.support.waiting import until as until_shown

CUT_S = 0.05


@asynccontextmanager
async def friends(server: RunningServer) -> AsyncIterator[tuple[Room, Room, Client]]:
    """Yield a room as Ann at X and as Ben at O see it, with a game on, and Ann."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(WAIT_S))
        ann = await stack.enter_async_context(connect(server.url, name="Ann"))
        ben = await stack.enter_async_context(connect(server.url, name="Ben"))
        x = await stack.enter_async_context(await ann.create("classic", mark="X"))
        o = await stack.enter_async_context(await ben.join(x.url))
        await o.sit()
        await until(x, lambda view: view.phase == "playing")
        yield x, o, ann


async def until(room: Room, wanted: object) -> View:
    """Follow a room until a view is as wanted."""
    assert callable(wanted)
    async for view in room:
        if wanted(view):
            return view
    raise AssertionError("the views ended")


async def play(room: Room, *cells: str) -> None:
    for cell in cells:
        await until(room, lambda view: "move" in room.you.can or view.phase != "playing")
        await room.move(cell)


async def play_any(room: Room) -> list[int]:
    """Play legal moves until the game is over. Return the versions of all views."""
    versions = []
    async for view in room:
        versions.append(view.version)
        assert view.game is not None
        if "move" in room.you.can:
            await room.move(view.game.legal[0])
        if view.phase == "finished":
            break
    return versions


async def test_two_programs_play_a_game(server: RunningServer) -> None:
    async with friends(server) as (x, o, ann):
        assert (x.you.mark, o.you.mark, x.you.owner) == ("X", "O", True)
        await asyncio.gather(play(x, "b2", "a1", "c3"), play(o, "b1", "c1"))
        view = await until(o, lambda view: view.phase == "finished")
        assert view.game is not None
        assert view.game.outcome is not None
        assert (view.game.outcome.winner, view.game.outcome.cells) == ("X", ("a1", "b2", "c3"))
        assert (x.event, o.game) == (x.event, view.game)
        record = await ann.game(x, 1)
        assert [move.cell for move in record.moves] == ["b2", "b1", "a1", "c1", "c3"]
        assert await ann.game(x.watch_url, 1) == record


async def test_every_command_reaches_the_room(server: RunningServer) -> None:
    async with friends(server) as (x, o, ann):
        await x.say("Good luck!")
        await until_news(o, lambda: [line.text for line in o.lines] == ["Good luck!"])
        await x.react("👍")
        await until_news(o, lambda: o.reaction is not None and o.reaction.emoji == "👍")
        await until_news(o, lambda: o.crowd is not None and o.crowd.seats.X is not None)
        await x.offer("draw")
        await until(o, lambda view: view.offers)
        await o.answer("draw", False)
        await x.move("b2")
        await until(o, lambda view: view.game is not None and view.game.moves)
        await o.resign()
        await x.offer("rematch")
        await until(o, lambda view: view.offers)
        await o.answer("rematch", True)
        await until(x, lambda view: view.game is not None and view.game.number == 2)
        await x.resign()
        await o.stand()
        await x.set(variant="misere", clock={"mode": "move", "move_ms": 5_000}, spectator_chat="off")
        assert (x.view.variant, x.view.clock is not None, x.view.spectator_chat) == ("misere", True, "off")
        await x.set(clock=MoveClock(9_000), visibility="unlisted")
        await x.set(clock=None)
        assert x.view.clock is None
        await x.mute("spectators")
        await x.mute("spectators", False)
        await x.seat_engine("X", "novice")
        assert x.you.mark == "O"
        await x.resign()
        await x.free("X")
        await x.close()
        assert x.view.phase == "closed"
        with pytest.raises(RoomGone, match="The room was closed"):
            await until(x, lambda view: False)
        with pytest.raises(RoomGone):
            await x.say("Anybody?")
        with pytest.raises(RoomGone, match="does not exist"):
            await ann.join(x.id)


async def until_news(room: Room, wanted: object) -> None:
    assert callable(wanted)
    while not wanted():
        await room.news()


async def test_a_rejection_is_raised_with_its_code(server: RunningServer) -> None:
    async with friends(server) as (x, o, _):
        with pytest.raises(Rejected) as rejected:
            await o.move("a1")
        assert rejected.value.code == "not_your_turn"
        for forbidden in (x.claim("win"), x.sit("O"), x.sit(), x.stand(), o.close()):
            with pytest.raises(Rejected):
                await forbidden
        await x.move("b2")
        with pytest.raises(Rejected, match="not_your_turn"):
            await x.move("a1")


async def test_a_move_can_name_the_view_that_it_is_about(server: RunningServer) -> None:
    """With an older view the move is late, whatever the program has read since. Without one it is about the newest view."""
    async with friends(server) as (x, o, ann):
        old = x.view
        async with connect(server.url, token=ann.token) as again, await again.join(x.id) as other_device:
            await play(other_device, "a1")
            await play(o, "b2")
            await until(other_device, lambda view: len(view.game.moves) == 2)
            await until(x, lambda view: len(view.game.moves) == 2)
            with pytest.raises(Rejected, match="stale"):
                await x.move("c3", old)
            await x.move("c3")


async def test_a_link_has_the_invite_for_players_only(server: RunningServer) -> None:
    async with friends(server) as (x, o, _):
        assert x.url == f"{x.watch_url}#i={x.invite}"
        assert o.url == x.url
        async with connect(server.url, guest=False) as watching:
            spectator = await watching.join(x.watch_url)
            async with spectator:
                assert (spectator.invite, spectator.url, spectator.you.mark) == (None, x.watch_url, None)
                with pytest.raises(Rejected, match="unauthorized"):
                    await spectator.say("Hello")


async def test_a_room_is_entered_first(server: RunningServer) -> None:
    async with connect(server.url) as me:
        room = await me.create("classic")
        assert room.view.phase == "waiting"
        with pytest.raises(RuntimeError, match="enter the room first"):
            await room.move("a1")
        with pytest.raises(RuntimeError, match="enter the room first"):
            assert room.you


async def test_a_server_that_is_killed_loses_nothing(start_server: StartServer) -> None:
    """Killed with -9 in the middle of games and started again on the same data."""
    server = start_server()
    async with asyncio.timeout(WAIT_S), friends(server) as (x, o, ann):

        async def games(room: Room, count: int) -> list[int]:
            versions: list[int] = []
            for _ in range(count):
                versions += await play_any(room)
                await room.offer("rematch")
                await until(room, lambda view: view.phase == "playing")
            return versions

        playing = asyncio.gather(games(x, 3), games(o, 3))
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        for versions in await playing:
            assert versions == sorted(versions)
        for number in range(1, 4):
            assert (await ann.game(x, number)).outcome is not None


async def test_a_proxy_that_cuts_the_line_is_survived(server: RunningServer) -> None:
    async with asyncio.timeout(WAIT_S), tcp_proxy(server.port) as proxy, connect(server.url) as ann:
        url = f"http://127.0.0.1:{proxy.port}"
        first = await ann.create("4x4", opponent="engine", level="novice", mark="X")
        async with connect(url, token=ann.token) as behind, await behind.join(first.id) as room:

            async def cut() -> None:
                while True:
                    await asyncio.sleep(CUT_S)
                    proxy.close_connections()

            cutting = asyncio.ensure_future(cut())
            number = 0
            while number < 5 or proxy.connections <= 5:
                number += 1
                versions = await play_any(room)
                assert versions == sorted(set(versions))
                await room.offer("rematch")
                await until(room, lambda view, number=number: view.game.number > number)
            cutting.cancel()


async def test_leaving_leaves_nothing_running(server: RunningServer) -> None:
    before = asyncio.all_tasks()
    async with connect(server.url) as me:
        for _ in range(3):
            await (await me.create("classic", opponent="engine")).__aenter__()
        assert asyncio.all_tasks() - before
    await until_shown(lambda: asyncio.all_tasks() <= before)


async def test_a_command_waits_for_the_view_that_has_it() -> None:
    """The view may come after the ``ok`` with the same version."""
    answered, shown = asyncio.Event(), asyncio.Event()

    async def serve_room(socket: ServerConnection) -> None:
        await socket.recv()
        for message in (Welcome(PROTOCOL, None, 0, ()), room_text(1)):
            await socket.send(msgspec.json.encode(message))
        command = msgspec.json.decode(await socket.recv())
        await socket.send(msgspec.json.encode(Ok(command["id"], 3)))
        answered.set()
        for version in (2, 3):
            await shown.wait()
            await socket.send(msgspec.json.encode(room_text(version)))
        await socket.wait_closed()

    async with asyncio.timeout(WAIT_S), serve(serve_room, "127.0.0.1", 0) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        async with Room(f"ws://127.0.0.1:{port}/ws", None, VIEW, "", "", None) as room:
            saying = asyncio.create_task(room.say("hello"))
            await answered.wait()
            assert not saying.done()
            shown.set()
            await saying
            assert room.view.version == 3
