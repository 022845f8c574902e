"""The store that several nodes share as one object, with the life of one of the nodes."""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress

from noughts.room.downtime import Downtime
from noughts.store.contract import (
    ConnectionStats,
    Guarantee,
    Life,
    NodeStatus,
    Pulse,
    SlowCommit,
    StoreUnavailableError,
)
from noughts.store.redis.link import RedisLink
from noughts.store.redis.machines import RedisMachines
from noughts.store.redis.players import RedisPlayers


class RedisStore(RedisMachines, RedisPlayers):
    """A :class:`~noughts.store.contract.Store` that many nodes share."""

    def __init__(self, link: RedisLink) -> None:
        RedisMachines.__init__(self, link)
        RedisPlayers.__init__(self, link)
        self._beat = link.script("beat")
        self._leave = link.script("leave")

    def machines(self, kind: str) -> RedisMachines:
        return RedisMachines(self._link, kind)

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

    async def check_writer(self) -> None:
        """Do nothing: any number of nodes may write."""

    async def add_downtime(self, span: Downtime) -> None:
        """Do nothing: the beats of all nodes show when Redis was away."""

    async def life(self) -> Life:
        prefix, call = self._link.prefix, self._connection.call
        spans = await call("LRANGE", f"{prefix}downtimes", 0, -1)
        names = sorted(await call("HKEYS", f"{prefix}secrets"))
        secrets = [(name.decode(), await call("HGET", f"{prefix}secrets", name)) for name in names]
        downtimes = tuple(Downtime(*map(int, span.split())) for span in spans)
        return Life(downtimes, int(await call("GET", f"{prefix}clock") or 0), tuple(secrets))

    async def put_life(self, life: Life) -> None:
        prefix, call = self._link.prefix, self._connection.call
        await call("DEL", f"{prefix}downtimes", f"{prefix}secrets")
        for from_ms, until_ms in life.downtimes:
            await call("RPUSH", f"{prefix}downtimes", f"{from_ms} {until_ms}")
        await call("SET", f"{prefix}downtime_count", len(life.downtimes))
        for name, secret in life.secrets:
            await call("HSET", f"{prefix}secrets", name, secret)
        await call("SET", f"{prefix}clock", life.beat_ms)

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
