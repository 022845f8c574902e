"""The values of one kind, their records and their chat. A script carries out each change whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from noughts.store.kinds import ROOM
from noughts.store.machine_store import (
    Change,
    CommitAnswer,
    CommitReceiver,
    Conflict,
    Due,
    Failed,
    HeldRow,
    Known,
    ListedRow,
    Listing,
    Stored,
    StoredRow,
    Unavailable,
    WholeRow,
)
from noughts.store.presence import NO_ATTENDANCE, PresenceReport
from noughts.store.redis.client import Answer
from noughts.store.redis.connection import ignore
from noughts.store.redis.encoding import (
    commit_words,
    presence_from_answer,
    presence_message,
    row_from_answer,
    whole_from_answer,
)
from noughts.store.redis.failures import reason_of
from noughts.store.redis.link import RedisLink
from noughts.store.redis.scripts import Word, kind_prefix, records_prefix, row_prefix


class RedisMachines:
    """A :class:`~noughts.store.contract.MachineStore`."""

    shared = True

    def __init__(self, link: RedisLink, kind: str = ROOM) -> None:
        """Make this before the link connects: each new connection is given the scripts made so far."""
        self._link = link
        self._connection = link.connection
        self._prefix = kind_prefix(link.prefix, kind)
        self._row, self._records = row_prefix(link.prefix, kind), records_prefix(link.prefix, kind)
        names = ("commit", "load", "whole", "hold", "release", "listed", "claim_due")
        self._scripts = {name: link.script(name, kind) for name in names}
        self._commit = self._scripts["commit"]

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        answered = partial(self._commit_answered, change, receiver)
        try:
            words = commit_words(self._link.node, change)
            self._connection.run(answered, self._commit, self._row + change.id, *words)
        except ValueError as error:
            # The answer must come after those to earlier changes, so it waits for one from Redis.
            reason = f"the store cannot hold this: {error}"
            self._connection.ask(
                lambda answer: answered(answer if isinstance(answer, Exception) else ValueError(reason)), "PING"
            )

    async def load(self, id: str) -> StoredRow | None:
        answer = await self._carry_out("load", self._row + id, id)
        return None if answer is None else row_from_answer(answer)

    async def hold(self, id: str) -> HeldRow | None:
        answer = await self._carry_out("hold", self._row + id, self._link.node, id)
        return None if answer is None else HeldRow(row_from_answer(answer[0]), presence_from_answer(answer[1]))

    def release(self, id: str) -> None:
        message = presence_message(PresenceReport(id, self._link.node, NO_ATTENDANCE, {}, 0))
        self._connection.run(ignore, self._scripts["release"], self._row + id, self._link.node, id, message)

    async def record(self, id: str, number: int) -> bytes | None:
        data: bytes | None = await self._connection.call("HGET", self._records + id, number)
        return data

    async def claim_due(self, until_ms: int, limit: int, retry_ms: int) -> Sequence[Due]:
        pairs = await self._carry_out("claim_due", self._prefix + "wake", limit, retry_ms)
        return [Due(id.decode(), int(at_ms)) for id, at_ms in zip(pairs[::2], pairs[1::2], strict=True)]

    async def postpone(self, id: str, at_ms: int) -> None:
        await self._connection.call("ZADD", self._prefix + "wake", "XX", at_ms, id)

    async def time_runs(self) -> bool:
        """Return True: the nodes of a shared store measure downtime all the time."""
        return True

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRow]:
        return await self._rows_in(listing if variant is None else f"{listing}:{variant}", limit)

    async def ids_of(self, player: str) -> Sequence[str]:
        ids = await self._connection.call("SMEMBERS", f"{self._prefix}of:{player}")
        return [id.decode() for id in ids]

    async def ids_with_lines_of(self, player: str) -> Sequence[str]:
        ids = await self._connection.call("SMEMBERS", f"{self._prefix}wrote:{player}")
        return [id.decode() for id in ids]

    async def ids(self) -> Sequence[str]:
        return [id.decode() for id in await self._connection.call("ZRANGE", self._prefix + "created", 0, -1)]

    async def whole(self, id: str) -> WholeRow | None:
        answer = await self._carry_out("whole", self._row + id, id)
        return None if answer is None else whole_from_answer(id, answer)

    async def count(self, listing: Listing | None = None) -> int:
        return int(await self._connection.call("ZCARD", self._prefix + (listing or "created")))

    async def records(self, id: str, numbers: Sequence[int]) -> Sequence[bytes | None]:
        if not numbers:
            return []
        rows: Sequence[bytes | None] = await self._connection.call("HMGET", self._records + id, *numbers)
        return rows

    async def newest(self, limit: int) -> Sequence[ListedRow]:
        return await self._rows_in("created", limit)

    def _commit_answered(self, change: Change, receiver: CommitReceiver, answer: Answer) -> None:
        commit_answer = _commit_answer(change, answer)
        if type(commit_answer) is Conflict:
            self._connection.stats.conflicts += 1
        receiver.commit_answered(change, commit_answer)

    async def _carry_out(self, name: str, key: str, *words: Word) -> Answer:
        return await self._connection.carry_out(self._scripts[name], key, *words)

    async def _rows_in(self, name: str, limit: int) -> Sequence[ListedRow]:
        rows = await self._carry_out("listed", self._prefix + name, limit)
        return [ListedRow(id.decode(), data, presence_from_answer(presence)) for id, data, presence in rows]


def _commit_answer(change: Change, answer: Answer) -> CommitAnswer:
    if type(answer) is int:
        return Stored(change.version, answer)
    if isinstance(answer, ValueError):
        return Failed(str(answer))
    if isinstance(answer, Exception):
        return Unavailable(reason_of(answer))
    kind, content = answer
    if kind == b"known":
        return Known(int(content))
    return Conflict(None if content is None else row_from_answer(content))
