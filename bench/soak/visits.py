"""What visitors of the soak do: each visit makes guests and a room, and in the end nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Final

import websockets

from tests.support.player import Api, Message, Served, Socket, connect, enter, friends_room, guest

VARIANTS: Final = ("classic", "misere", "vanishing", "4x4", "gomoku", "ultimate", "four-in-a-row")
CLOCKS: Final = (
    None,
    {"mode": "move", "move_ms": 30_000},
    {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 0},
)
PLIES: Final = 14
ENGINE_VARIANTS: Final = ("classic", "vanishing", "4x4")

Visit = Callable[[Served, Random], Awaitable[None]]


@asynccontextmanager
async def guests(server: Served, count: int) -> AsyncIterator[list[Api]]:
    """Make guests, and delete them afterwards."""
    people = [await guest(server.url) for _ in range(count)]
    try:
        yield people
    finally:
        for api in people:
            await api.call("DELETE", "/api/players/me")


@asynccontextmanager
async def closing(room: Message, socket: Socket) -> AsyncIterator[None]:
    """Close a room afterwards, as its owner."""
    try:
        yield
    finally:
        await socket.send({"type": "close", "id": "close"})
        assert await socket.closed() != 1006, room["id"]


async def play(x: Socket, o: Socket, random: Random, plies: int = PLIES) -> None:
    """Play random moves by turns, until the game is over or there were enough."""
    for _ in range(plies):
        view = x.room
        if view["phase"] != "playing":
            return
        player = x if view["game"]["turn"] == x.you["mark"] else o
        await player.until_room(lambda room, version=view["version"]: room["version"] >= version)  # type: ignore[misc]
        await player.move(random.choice(view["game"]["legal"]))
        version = player.room["version"]
        await x.until_room(lambda room, version=version: room["version"] >= version)  # type: ignore[misc]


async def friends(server: Served, random: Random) -> None:
    """Two friends play, chat, react, are watched, rename, come back after a lost connection, and play again."""
    async with guests(server, 3) as (ann, ben, eve), AsyncExitStack() as stack:
        options = {"variant": random.choice(VARIANTS), "visibility": random.choice(("public", "unlisted"))}
        clock = random.choice(CLOCKS)
        answer = await friends_room(server, ann, **options, **({"clock": clock} if clock else {}))
        room = answer["room"]
        x = await stack.enter_async_context(enter(server, room["id"], ann))
        await stack.enter_async_context(closing(room, x))
        async with enter(server, room["id"], ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            await x.until_room(lambda view: view["phase"] == "playing")
            watchers = [await stack.enter_async_context(enter(server, room["id"], api)) for api in (eve, None, None)]
            await play(x, o, random, PLIES // 2)
            await o.ok("chat", text="a line of chat " * random.randint(1, 15))
            await x.ask("react", emoji="👍")
            await ben.call("PATCH", "/api/players/me", {"name": f"Ben {random.randint(1, 999)}"})
            await ben.post("/api/players/me/resume-code")
            for watcher in watchers[1:]:
                watcher.connection.transport.abort()
            o.connection.transport.abort()
        async with enter(server, room["id"], ben) as o:
            await play(x, o, random)
            if x.room["phase"] == "playing":
                await o.ok("resign")
            await x.until_room(lambda view: view["phase"] == "finished")
            await x.ok("offer", what="rematch")
            await o.ok("offer", what="rematch")
            await x.until_room(lambda view: view["phase"] == "playing")
            await play(x, o, random, 4)
        await watchers[0].ask("ping")  # it reads all that was sent, and then leaves in order


async def against_the_engine(server: Served, random: Random) -> None:
    """A player plays the engine, and leaves in the middle of a search."""
    async with guests(server, 1) as (ann,):
        body = {"variant": random.choice(ENGINE_VARIANTS), "opponent": "engine", "mark": "X"}
        room = (await ann.post("/api/rooms", body))["room"]
        async with enter(server, room["id"], ann) as x, closing(room, x):
            for _ in range(3):
                view = await x.until_room(lambda view: view["phase"] == "finished" or view["game"]["turn"] == "X")
                if view["phase"] == "finished":
                    return
                await x.move(random.choice(view["game"]["legal"]))


async def two_engines(server: Served, random: Random) -> None:
    """Two engines play while their room is watched."""
    async with guests(server, 1) as (ann,):
        levels = ["novice", "novice"]
        body = {"variant": random.choice(ENGINE_VARIANTS), "opponent": "engines", "levels": levels}
        room = (await ann.post("/api/rooms", body))["room"]
        async with enter(server, room["id"], ann) as owner, closing(room, owner), enter(server, room["id"]) as watcher:
            await watcher.until_room(lambda view: len(view["game"]["moves"]) >= 3 or view["phase"] == "finished")


async def strangers(server: Served, random: Random) -> None:
    """Two strangers meet by quick play, while others look at the lobby."""
    async with guests(server, 2) as (ann, ben), connect(server.ws_url, {"lobby": True}) as lobby:
        await lobby.until(lambda message: bool(message["type"] == "lobby"))
        rooms = [(await api.post("/api/quickplay", {"variant": "classic"}))["room"]["id"] for api in (ann, ben)]
        for api, room in zip((ann, ben), rooms, strict=True):
            with contextlib.suppress(websockets.ConnectionClosed):  # the owner may have closed it
                async with enter(server, room, api) as socket:
                    await socket.ask("close")


async def nobody(server: Served, random: Random) -> None:
    """Clients that say nothing, or nonsense, and vanish."""
    async with connect(server.ws_url) as silent:
        silent.connection.transport.abort()
    with contextlib.suppress(websockets.ConnectionClosed):
        async with connect(server.ws_url) as rude:
            await rude.send(json.dumps({"type": "hello", "protocol": 99}))
            await rude.closed()
    await Api(server.url).call("GET", "/api/rooms/none")
    await Api(server.url).call("POST", "/api/players", {"name": 7})


VISITS: Final[tuple[Visit, ...]] = (friends, friends, friends, against_the_engine, two_engines, strangers, nobody)


async def visit(server: Served, random: Random, count: int) -> int:
    """Let visitors come one after another. Return how many there were."""
    for number in range(count):
        async with asyncio.timeout(60):
            await VISITS[number % len(VISITS)](server, random)
    return count
