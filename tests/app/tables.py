"""Rooms with people in them, as the tests of the server need them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.player import Api, Message, Socket, enter, friends_room, guest
from tests.serving import RunningServer


@dataclass
class Pair:
    """Two friends in a room of theirs, Ann at X and Ben at O."""

    server: RunningServer
    id: str
    invite: str
    ann: Api
    ben: Api
    x: Socket
    o: Socket

    async def view(self) -> Message:
        """The room as everybody may see it."""
        return dict(await Api(self.server.url).get(f"/api/rooms/{self.id}"))

    async def play(self, *cells: str) -> None:
        """Moves, by turns, from the position as it is."""
        for cell in cells:
            view = await self.view()
            socket = self.x if view["game"]["turn"] == "X" else self.o
            await socket.until_room(lambda room, view=view: room["version"] >= view["version"])
            await socket.move(cell)


@asynccontextmanager
async def pair(server: RunningServer, **options: Any) -> AsyncIterator[Pair]:
    """A game that has just begun; ``options`` are the room's."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    made = await friends_room(server, ann, **options)
    room = made["room"]["id"]
    async with AsyncExitStack() as stack:
        x = await stack.enter_async_context(enter(server, room, ann))
        o = await stack.enter_async_context(enter(server, room, ben))
        await o.ok("sit", mark="O", invite=made["invite"])
        await x.until_room(lambda view: view["phase"] == "playing")
        yield Pair(server, room, made["invite"], ann, ben, x, o)


async def until_crowd(socket: Socket, wanted: Callable[[Message], bool]) -> Message:
    """The crowd as soon as it is as wanted; the newest received may be."""
    while "crowd" not in socket.last or not wanted(socket.last["crowd"]):
        await socket.receive()
    return socket.last["crowd"]


async def engine_room(server: RunningServer, api: Api, **options: Any) -> Message:
    """A room against the engine, with its maker at X."""
    body = {"variant": "classic", "opponent": "engine", "mark": "X", "level": "perfect", **options}
    return dict(await api.post("/api/rooms", body))
