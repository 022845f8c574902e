"""Check that the objects of a running server form a tree as its imports do: none of ours refers in a circle to another.

A reference is a field, an item of a container in a field, the object of a bound method, or a variable of a closure. The
graph is that of a server at rest: a command that is being carried out knows where its answer goes.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import types
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from noughts.app.delivery.sender import Flusher
from noughts.app.server import Server
from tests.support.local_server import LocalServer, local_server
from tests.support.player import connect, enter
from tests.support.redis_server import redis_farm
from tests.support.redis_stores import new_backend
from tests.support.rooms import engine_room, pair

PACKAGE = "noughts"
CONTAINERS = (dict, list, tuple, set, frozenset, deque, types.MappingProxyType)


class Reference(NamedTuple):
    """One object of ours that refers to another, by the names of their classes."""

    source: str
    target: str


class Graph:
    """The objects of ours that can be reached from one of them, and what each refers to."""

    def __init__(self, root: object) -> None:
        self.objects: dict[int, object] = {}
        self.references: dict[int, dict[int, object]] = {}
        waiting = [root]
        while waiting:
            source = waiting.pop()
            if id(source) in self.objects:
                continue
            self.objects[id(source)] = source
            targets = {id(target): target for target in _ours(source)}
            self.references[id(source)] = targets
            waiting += targets.values()

    def classes(self) -> set[str]:
        """Return the names of the classes that objects were found of."""
        return {name_of(source) for source in self.objects.values()}

    def cycle(self, allowed: frozenset[Reference] = frozenset()) -> list[str]:
        """Return a circle of references as names of classes, without the allowed ones. It is empty if there is none."""
        edges = {
            source: [each for each in targets if Reference(self._name(source), self._name(each)) not in allowed]
            for source, targets in self.references.items()
        }
        try:
            TopologicalSorter(edges).prepare()
        except CycleError as error:
            return [self._name(each) for each in reversed(error.args[1])]
        return []

    def _name(self, object_id: int) -> str:
        return name_of(self.objects[object_id])


def name_of(source: object) -> str:
    """Return the name of an object's class."""
    return type(source).__qualname__


def is_ours(source: object) -> bool:
    """Return whether an object is an instance of a class of the package. Members of an Enum are constants."""
    return type(source).__module__.split(".")[0] == PACKAGE and not isinstance(source, Enum | type)


def _ours(source: object) -> Iterator[object]:
    """Yield the objects of ours that one refers to: itself, in containers, by bound methods, and in closures."""
    waiting, seen = _direct(source), {id(source)}
    while waiting:
        target = waiting.pop()
        if id(target) in seen:
            continue
        seen.add(id(target))
        if is_ours(target):
            yield target
        elif isinstance(target, CONTAINERS):
            waiting += gc.get_referents(target)
        else:
            waiting += _bound(target)


def _direct(source: object) -> list[object]:
    """What an object itself refers to, its class left out. The collector does not look into structs."""
    if isinstance(source, msgspec.Struct):
        return [getattr(source, field) for field in source.__struct_fields__]
    return [target for target in gc.get_referents(source) if target is not type(source)]


def _bound(target: object) -> list[object]:
    """What something that can be called was bound to."""
    if isinstance(target, types.MethodType):
        return [target.__self__, target.__func__]
    if isinstance(target, types.FunctionType):
        variables = [value for cell in target.__closure__ or () for value in gc.get_referents(cell)]
        return [*variables, *(target.__defaults__ or ()), *(target.__kwdefaults__ or {}).values()]
    if isinstance(target, functools.partial):
        return [target.func, *target.args, *target.keywords.values()]
    return []


# --- the server's graph ---

ALLOWED = frozenset({Reference("Connection", "CommandReceiver")})
"""The reference upwards: a connection, to which aiohttp or the event loop gives bytes, gives what it reads to its owner.

It is set when the session begins and unset when it ends.
"""
SEEN = {
    "Server", "RoomOnNode", "RoomKind", "Repository", "RoomSurroundings", "Scheduler", "EnginePlayer", "DowntimeLog",
    "NodeState", "Deadlines", "RoomFactory", "Matchmaking", "LobbyFeed", "OtherNodes", "NameLookup",
    "Hub", "Connection", "RoomConnections", "CommandReceiver",
    "WebSocketEndpoint",
    "PresenceMirror", "Heartbeat",
    "SearchPool", "Limits", "Guests", "Bans",
    "Room", "Game",
}  # fmt: skip
"""Classes whose objects the walk must meet with every store. A walk that stops early finds no circle either."""
SEEN_WITH = {
    "file": {"Registry", "SqliteStore", "Writer", "SingleNodeRelay", "LocalCoordination"},
    "redis": {
        "SharedRegistry",
        "RedisStore",
        "RedisLink",
        "RedisConnection",
        "RedisRelay",
        "RedisCoordination",
    },
}


@pytest.fixture(scope="module", params=["file", "redis"])
async def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[LocalServer]:
    """A server on which two people play, one watches, one plays the engine on a clock, and one looks at the lobby."""
    data: Path = tmp_path_factory.mktemp("graph")
    async with AsyncExitStack() as stack:
        backend = None
        if request.param == "redis":
            backend = new_backend(stack.enter_context(redis_farm(data / "redis")).server(), data)
        server = await stack.enter_async_context(local_server(data, backend=backend))
        room = await stack.enter_async_context(pair(server, clock={"mode": "move", "move_ms": 60_000}))
        await room.play("b2", "a1")
        await room.x.ok("chat", text="hello")
        await stack.enter_async_context(enter(server, room.id))
        answer = await engine_room(server, room.ann)
        opponent = await stack.enter_async_context(enter(server, answer["room"]["id"], room.ann))
        await opponent.move("b2")
        await opponent.until_room(lambda view: len(view["game"]["moves"]) == 2)
        lobby = await stack.enter_async_context(connect(server.ws_url, {"lobby": True}))
        await lobby.until(lambda message: message["type"] == "lobby")
        yield server


async def at_rest(server: Server) -> Graph:
    """Return the graph of a server's objects while no command to Redis is going on, and no frame waits to be written."""
    while True:
        for _ in range(3):
            await asyncio.sleep(0)
        graph = Graph(server)
        flushers = [each for each in graph.objects.values() if isinstance(each, Flusher)]
        if "_ScriptRun" not in graph.classes() and not any(graph.references[id(each)] for each in flushers):
            return graph


async def test_the_walk_meets_every_part_of_the_server(served: LocalServer) -> None:
    seen = (await at_rest(served.server)).classes()
    assert seen >= SEEN
    assert any(seen >= classes for classes in SEEN_WITH.values())


async def test_no_objects_refer_to_each_other_in_a_circle(served: LocalServer) -> None:
    assert (await at_rest(served.server)).cycle(ALLOWED) == []


async def test_every_allowed_reference_is_needed(served: LocalServer) -> None:
    graph = await at_rest(served.server)
    for reference in [each for each in ALLOWED if set(each) <= graph.classes()]:
        assert graph.cycle(ALLOWED - {reference}), f"{reference} no longer closes a circle: take it out"
