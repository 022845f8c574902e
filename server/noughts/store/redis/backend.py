"""The backend of one of several nodes: its store, its relay, and credits in the store's time and locks with a lease."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from noughts.store.address import RedisAddress
from noughts.store.backend import Backend
from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import Rate
from noughts.store.kinds import ROOM
from noughts.store.presence import PresenceMirror, PresenceReport
from noughts.store.redis.change_feed import notice_message
from noughts.store.redis.connection import ignore
from noughts.store.redis.encoding import report_words
from noughts.store.redis.link import RedisLink
from noughts.store.redis.scripts import row_prefix
from noughts.store.redis.store import RedisStore
from noughts.store.relay import Message, Notice

LEASE_MS: Final = 4_000
"""Milliseconds after which a lock is free although its holder, who may be dead, has not given it back."""
RETRY_S: Final = 0.03
"""The longest pause between two tries to get a lock that another node holds."""
PATIENCE_S: Final = 6.0


class RedisRelay:
    """A :class:`~noughts.store.relay.Relay` and a :class:`~noughts.store.presence.PresenceSender`.

    It sends notices to all nodes, and reports of presence. The store's scripts publish the rest.
    """

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._report = link.script("report")

    def announce(self, notice: Notice) -> None:
        message = notice_message(self._link.node, notice)
        self._link.connection.ask(ignore, "PUBLISH", f"{self._link.prefix}all", message)

    async def received(self) -> Message:
        return await self._link.changes.received()

    def send(self, report: PresenceReport) -> None:
        key = row_prefix(self._link.prefix, ROOM) + report.room
        self._link.connection.run(ignore, self._report, key, *report_words(report))


class RedisCoordination:
    """A :class:`~noughts.store.coordination.Coordination`."""

    def __init__(self, link: RedisLink, lease_ms: int = LEASE_MS, patience_s: float = PATIENCE_S) -> None:
        self._lease_ms = lease_ms
        self._patience_s = patience_s
        self._connection = link.connection
        self._prefix = link.prefix
        self._take_credit = link.script("take_credit")
        self._unlock = link.script("unlock")
        self._locks: dict[str, asyncio.Lock] = {}

    async def take_credit(self, limit: str, holder: str, rate: Rate) -> int:
        key = f"{self._prefix}credit:{limit}:{holder}"
        words = (repr(float(rate.burst)), repr(float(rate.per_s)))
        return int(await self._connection.carry_out(self._take_credit, key, *words))

    async def give_credit(self, limit: str, holder: str, rate: Rate) -> None:
        key = f"{self._prefix}credit:{limit}:{holder}"
        words = (repr(float(rate.burst)), repr(float(rate.per_s)), "give")
        await self._connection.carry_out(self._take_credit, key, *words)

    async def note(self, name: str, number: int) -> None:
        await self._connection.call("SET", f"{self._prefix}noted:{name}", number)

    async def noted(self, name: str) -> int:
        return int(await self._connection.call("GET", f"{self._prefix}noted:{name}") or 0)

    @asynccontextmanager
    async def lock(self, name: str) -> AsyncIterator[None]:
        """Hold a lock: first among the tasks of this node, in their order, then among the nodes."""
        key, token = f"{self._prefix}lock:{name}", secrets.token_hex(8)
        async with self._locks.setdefault(name, asyncio.Lock()):
            try:
                async with asyncio.timeout(self._patience_s):
                    while not await self._connection.call("SET", key, token, "NX", "PX", self._lease_ms):  # noqa: ASYNC110
                        await asyncio.sleep(random.uniform(0.0, RETRY_S))
            except TimeoutError:
                raise StoreUnavailableError(f"the lock {name} is not free") from None
            try:
                yield
            finally:
                self._connection.run(ignore, self._unlock, key, token)


def redis_backend(address: RedisAddress, node: str, prefix: str = "noughts") -> Backend:
    """Return the backend of a node. ``node`` is the id of this process. Raise ValueError for an invalid prefix."""
    return linked_backend(RedisLink(address, node, prefix))


def linked_backend(link: RedisLink) -> Backend:
    """Return the backend of a node over its link."""
    relay = RedisRelay(link)
    return Backend(RedisStore(link), PresenceMirror(link.node, relay), relay, RedisCoordination(link))
