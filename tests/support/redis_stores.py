"""Stores and nodes on a Redis that many tests share. Each directory of a test has a prefix of its own."""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from noughts.store.address import RedisAddress, store_address
from noughts.store.backend import Backend
from noughts.store.contract import NodeStatus, Store, StoreUnavailableError
from noughts.store.presence import PresenceSender
from noughts.store.redis.backend import RedisRelay, linked_backend, redis_backend
from noughts.store.redis.link import RedisLink
from tests.support.redis_server import RedisServer

_BOOKKEEPING: Final = {
    "order",
    "clock",
    "schema",
    "nodes",
    "dead",
    "statuses",
    "downtimes",
    "downtime_count",
    "online",
}
"""Keys that belong to no room and no player."""
ATTEMPTS: Final = 10
_numbers = itertools.count(1)


def address_of(redis: RedisServer | str) -> RedisAddress:
    """Return the address of a server."""
    address = store_address(redis if isinstance(redis, str) else redis.url)
    assert isinstance(address, RedisAddress)
    return address


def prefix_of(directory: Path) -> str:
    """Return the prefix of a test's keys."""
    return f"t{hashlib.sha1(str(directory).encode()).hexdigest()[:16]}"


def new_backend(redis: RedisServer | str, directory: Path, name: str = "node") -> Backend:
    """Return the backend of a new node."""
    return redis_backend(address_of(redis), f"{name}-{next(_numbers)}", prefix_of(directory))


async def connect(store: Store) -> None:
    """Open a store, as a server does: Redis may be slow to answer on a busy machine, and then another attempt follows."""
    for _ in range(ATTEMPTS - 1):
        with suppress(StoreUnavailableError):
            return await store.open()
    await store.open()


def status_of(name: str) -> NodeStatus:
    return NodeStatus(name, name, "1.0", 0)


class RedisNodes:
    """Several nodes of one Redis."""

    def __init__(self, redis: RedisServer | str, directory: Path) -> None:
        self._redis = redis
        self._directory = directory
        self.backends: list[Backend] = []
        self.reporters: dict[str, PresenceSender] = {}
        """What each node sends its reports with, by the node's name."""
        self.links: dict[str, RedisLink] = {}

    async def node(self, name: str) -> Backend:
        link = RedisLink(address_of(self._redis), name, prefix_of(self._directory))
        self.links[name] = link
        backend = linked_backend(link)
        self.reporters[name] = RedisRelay(link)
        self.backends.append(backend)
        await connect(backend.store)
        await backend.store.beat(status_of(name), 0)
        return backend


@asynccontextmanager
async def redis_nodes(redis: RedisServer | str, directory: Path) -> AsyncIterator[RedisNodes]:
    """Open nodes on a Redis, and close all of them."""
    nodes = RedisNodes(redis, directory)
    try:
        yield nodes
    finally:
        for backend in nodes.backends:
            await backend.store.close()


def redis_contents(redis: RedisServer, directory: Path) -> dict[str, list[str]]:
    """Return all that a test keeps in Redis, by the first word of its key, without the bookkeeping."""
    prefix = f"{{{prefix_of(directory)}}}:"
    tables: dict[str, list[str]] = defaultdict(list)
    tables["lines"] = []
    for key in redis.keys(f"{prefix}*"):
        name = key.removeprefix(prefix)
        if name not in _BOOKKEEPING:
            tables[name.partition(":")[0]].append(f"{name} {_value(redis, key)}")
    return dict(tables)


def _value(redis: RedisServer, key: str) -> Any:
    kind = redis.command("TYPE", key)
    if kind == "list":
        return redis.command("LRANGE", key, 0, -1)
    if kind == "zset":
        return redis.command("ZRANGE", key, 0, -1, "WITHSCORES")
    if kind == "string":
        return redis.command("GET", key)
    return sorted(redis.command("SMEMBERS" if kind == "set" else "HGETALL", key))
