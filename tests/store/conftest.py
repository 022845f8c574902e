"""Every test of this directory runs against every store. Another store is one more line in ``STORES``.

The tests with several nodes run against every server that holds a shared store, and against what stands for one in other
tests. Another server is one more line in ``SERVERS``.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from noughts.store.backend import Backend
from noughts.store.contract import Store
from noughts.store.coordination import LocalCoordination
from noughts.store.presence import PresenceMirror
from noughts.store.relay import Message, Notice, Relay
from noughts.store.sqlite.store import SqliteStore
from tests.support.exchange import Exchange
from tests.support.manual_clock import ManualClock
from tests.support.player import WAIT_S
from tests.support.redis_server import RedisFarm, RedisServer, redis_farm, redis_program, valkey_program
from tests.support.redis_stores import connect, new_backend, redis_contents, redis_nodes

OpenStore = Callable[[], Awaitable[Store]]
Contents = Callable[[], Awaitable[dict[str, list[str]]]]


class StoreKind(NamedTuple):
    """How a store is made for a directory of its own, and how all that it keeps there is read past it."""

    make: Callable[[Path], Store]
    contents: Callable[[Path], dict[str, list[str]]]


def _sqlite(directory: Path) -> Store:
    return SqliteStore(directory / "noughts.db")


def _sqlite_contents(directory: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(directory / "noughts.db")) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return {table: sorted(map(repr, db.execute(f"SELECT * FROM {table}"))) for table in tables}


STORES = {"sqlite": StoreKind(_sqlite, _sqlite_contents)}
SERVERS: dict[str, Callable[[], str]] = {"redis": redis_program, "valkey": valkey_program}
"""Servers that hold a shared store -> a function that returns the program."""


class Servers:
    """The servers that the tests of this directory share. Each starts for the first test that needs it."""

    def __init__(self, farm: RedisFarm) -> None:
        self._farm = farm
        self._started: dict[str, RedisServer] = {}

    def __getitem__(self, name: str) -> RedisServer:
        if name not in self._started:
            self._started[name] = self._farm.server(SERVERS[name]())
        return self._started[name]

    def kind(self, name: str) -> StoreKind:
        """Return the kind of store that a server holds."""
        redis = self[name]
        return StoreKind(
            lambda directory: new_backend(redis, directory).store, lambda directory: redis_contents(redis, directory)
        )


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Start servers for the tests of this directory, and end them."""
    with redis_farm(tmp_path_factory.mktemp("servers")) as farm:
        yield Servers(farm)


@pytest.fixture(params=sorted([*STORES, *SERVERS]))
def kind(request: pytest.FixtureRequest, servers: Servers) -> StoreKind:
    return servers.kind(request.param) if request.param in SERVERS else STORES[request.param]


@pytest.fixture
async def open_store(kind: StoreKind, tmp_path: Path) -> AsyncIterator[OpenStore]:
    """Open one more store on the same data: what a restart finds."""
    stores: list[Store] = []

    async def open_() -> Store:
        store = kind.make(tmp_path)
        stores.append(store)
        await connect(store)
        return store

    yield open_
    for store in stores:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store()


@pytest.fixture
def contents(kind: StoreKind, store: Store, tmp_path: Path) -> Contents:
    """Return all that is stored, to see that nothing stays behind."""

    async def read() -> dict[str, list[str]]:
        await store.count()
        return kind.contents(tmp_path)

    return read


# --- several nodes --------------------------------------------------------------------------------------------------


class Nodes(Protocol):
    """Several nodes of one store."""

    async def node(self, name: str) -> Backend: ...


class _ExchangeNodes:
    """Nodes that an exchange of this process joins."""

    def __init__(self, store: Store) -> None:
        clock = ManualClock()
        self._exchange = Exchange(store, clock)
        self._coordination = LocalCoordination(clock.now_s)

    async def node(self, name: str) -> Backend:
        link = self._exchange.link(name)
        return Backend(link.as_store(), PresenceMirror(name, link), link, self._coordination)


@pytest.fixture(params=["exchange", *SERVERS])
async def nodes(request: pytest.FixtureRequest, tmp_path: Path, servers: Servers) -> AsyncIterator[Nodes]:
    if request.param in SERVERS:
        async with redis_nodes(servers[request.param], tmp_path) as opened:
            yield opened
        return
    store = SqliteStore(tmp_path / "nodes.db")
    await store.open()
    yield _ExchangeNodes(store)
    await store.close()


END = Notice("unbanned", "the end")


async def messages_between(sender: Relay, receiver: Relay) -> list[Message]:
    """Send a last notice. Return what the other node received before it."""
    sender.announce(END)
    messages: list[Message] = []
    async with asyncio.timeout(WAIT_S):
        while (message := await receiver.received()) != END:
            messages.append(message)
    return messages
