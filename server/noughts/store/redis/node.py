"""The life of one node of several."""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress

from noughts.room.downtime import Downtime
from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import Guarantee, NodeStatus, Pulse, SlowCommit, StoreUnavailableError
from noughts.store.redis.link import RedisLink


class RedisNode:
    """A :class:`~noughts.store.contract.NodeStore`."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._connection = link.connection
        self._beat = link.script("beat")
        self._leave = link.script("leave")

    async def open(self) -> None:
        """Connect. Raise ``StoreUnavailableError`` if that fails at once; the connection is then tried again by itself.

        Opening again waits for the next attempt. Raise :class:`~noughts.store.contract.SchemaError` for a Redis that this
        program cannot use.
        """
        self._connection.start()
        if await self._connection.attempted():
            return
        rejection = self._link.handshake.rejection
        if rejection is None:
            raise StoreUnavailableError(self._connection.loss_reason)
        await self._connection.close()
        raise rejection

    async def close(self) -> None:
        with suppress(StoreUnavailableError):
            await self._connection.carry_out(self._leave, f"{self._link.prefix}nodes", self._link.node)
            self._link.lease.left()
        await self._connection.close()

    async def beat(self, status: NodeStatus, now_ms: int, players: Set[str] = frozenset()) -> Pulse:
        key = f"{self._link.prefix}nodes"
        answer = await self._connection.carry_out(self._beat, key, *self._link.lease.words(status, players))
        pulse, given_up = self._link.lease.renewed(answer)
        if given_up:
            self._link.changes.reconnected()
        return pulse

    async def add_downtime(self, span: Downtime) -> None:
        """Do nothing: the beats of all nodes show when Redis was away."""

    @property
    def slow_commit(self) -> SlowCommit | None:
        return None

    def guarantee(self) -> Guarantee:
        return self._link.handshake.guarantee

    def loss_reason(self) -> str | None:
        return None

    @property
    def commits(self) -> int:
        return self._connection.stats.batches

    @property
    def stats(self) -> ConnectionStats:
        return self._connection.stats
