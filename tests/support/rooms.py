"""Rooms with players in them, as the tests of the server need them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.player import Api, Message, Served, Socket, enter, friends_room, guest


@dataclass
class Pair:
    """Two friends in a room of theirs, Ann at X and Ben at O."""

    server: Served
    id: str
    invite: str
    ann: Api
    ben: Api
    x: Socket
    o: Socket

    async def view(self) -> Message:
        """Return the room as everybody may see it."""
        return dict(await Api(self.server.url).get(f"/api/rooms/{self.id}"))

    async def play(self, *cells: str) -> None:
        """Fill cells by turns, from the position as it is."""
        for cell in cells:
            view = await self.view()
            socket = self.x if view["game"]["turn"] == "X" else self.o
            await _until_version(socket, view["version"])
            await socket.move(cell)


async def _until_version(socket: Socket, version: int) -> None:
    await socket.until_room(lambda room: room["version"] >= version)


@asynccontextmanager
async def pair(server: Served, other: Served | None = None, **options: Any) -> AsyncIterator[Pair]:
    """Begin a game between two friends. Ben may be on another node. ``options`` are the room's."""
    other = other or server
    ann, ben = await guest(server.url, "Ann"), await guest(other.url, "Ben")
    answer = await friends_room(server, ann, **options)
    room = answer["room"]["id"]
    async with AsyncExitStack() as stack:
        x = await stack.enter_async_context(enter(server, room, ann))
        o = await stack.enter_async_context(enter(other, room, ben))
        await o.ok("sit", mark="O", invite=answer["invite"])
        await x.until_room(lambda view: view["phase"] == "playing")
        yield Pair(server, room, answer["invite"], ann, ben, x, o)


async def until_crowd(socket: Socket, wanted: Callable[[Message], bool]) -> Message:
    """Return the crowd as soon as it is as wanted. The newest one received may be."""
    while "crowd" not in socket.last or not wanted(socket.last["crowd"]):
        await socket.receive()
    return socket.last["crowd"]


async def engine_room(server: Served, api: Api, **options: Any) -> Message:
    """Make a room against the engine, with its owner at X. Return the answer of the server."""
    body = {"variant": "classic", "opponent": "engine", "mark": "X", "level": "perfect", **options}
    return dict(await api.post("/api/rooms", body))
