"""Rooms, their finished games and their chat. A script carries out each change whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from noughts.store.contract import (
    Change,
    CommitAnswer,
    CommitReceiver,
    Conflict,
    Failed,
    HeldRoom,
    Known,
    ListedRoom,
    Listing,
    Stored,
    StoredRoom,
    Unavailable,
)
from noughts.store.presence import NO_ATTENDANCE, PresenceReport
from noughts.store.redis.encoding import commit_words, presence_from_answer, presence_message, room_from_answer
from noughts.store.redis.failures import reason_of
from noughts.store.redis.link import RedisLink


class RedisRooms:
    """A :class:`~noughts.store.contract.RoomStore`."""

    shared = True

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._connection = link.connection
        self._commit = link.script("commit")
        self._load = link.script("load")
        self._hold = link.script("hold")
        self._release = link.script("release")
        self._listed = link.script("listed")
        self._claim_due = link.script("claim_due")

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        answered = partial(self._commit_answered, change, receiver)
        try:
            words = commit_words(self._link.node, change)
            self._link.run(answered, self._commit, change.room, *words)
        except ValueError as error:
            # The answer must come after those to earlier changes, so it waits for one from Redis.
            reason = f"the store cannot hold this: {error}"
            self._connection.ask(
                lambda answer: answered(answer if isinstance(answer, Exception) else ValueError(reason)), "PING"
            )

    async def load(self, room: str) -> StoredRoom | None:
        answer = await self._connection.carry_out(self._load, self._link.room_key(room), room)
        return None if answer is None else room_from_answer(answer)

    async def hold(self, room: str) -> HeldRoom | None:
        answer = await self._connection.carry_out(self._hold, self._link.room_key(room), self._link.node, room)
        return None if answer is None else HeldRoom(room_from_answer(answer[0]), presence_from_answer(answer[1]))

    def release(self, room: str) -> None:
        message = presence_message(PresenceReport(room, self._link.node, NO_ATTENDANCE, {}, 0))
        self._link.run(_ignore, self._release, room, self._link.node, room, message)

    async def game(self, room: str, number: int) -> bytes | None:
        data: bytes | None = await self._connection.call("HGET", f"{self._link.prefix}games:{room}", number)
        return data

    async def deadlines(self) -> Sequence[tuple[str, int]]:
        pairs = await self._connection.call("ZRANGE", self._key("wake"), 0, -1, "WITHSCORES")
        return [(room.decode(), int(at_ms)) for room, at_ms in pairs]

    async def claim_due(self, now_ms: int, limit: int, retry_ms: int) -> Sequence[str]:
        rooms = await self._connection.carry_out(self._claim_due, self._key("wake"), limit, retry_ms)
        return [room.decode() for room in rooms]

    async def postpone(self, room: str, at_ms: int) -> None:
        await self._connection.call("ZADD", self._key("wake"), "XX", at_ms, room)

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRoom]:
        return await self._rooms_in(listing if variant is None else f"{listing}:{variant}", limit)

    async def rooms_of(self, player: str) -> Sequence[str]:
        rooms = await self._connection.call("SMEMBERS", self._key(f"of:{player}"))
        return [room.decode() for room in rooms]

    async def room_count(self) -> int:
        return int(await self._connection.call("ZCARD", self._key("created")))

    async def newest(self, limit: int) -> Sequence[ListedRoom]:
        return await self._rooms_in("created", limit)

    def _commit_answered(self, change: Change, receiver: CommitReceiver, answer: Any) -> None:
        commit_answer = _commit_answer(change, answer)
        if type(commit_answer) is Conflict:
            self._connection.stats.conflicts += 1
        receiver.commit_answered(change, commit_answer)

    def _key(self, name: str) -> str:
        return self._link.prefix + name

    async def _rooms_in(self, name: str, limit: int) -> Sequence[ListedRoom]:
        rooms = await self._connection.carry_out(self._listed, self._key(name), limit)
        return [ListedRoom(room.decode(), data, presence_from_answer(presence)) for room, data, presence in rooms]


def _commit_answer(change: Change, answer: Any) -> CommitAnswer:
    if type(answer) is int:
        return Stored(change.version, answer)
    if isinstance(answer, ValueError):
        return Failed(str(answer))
    if isinstance(answer, Exception):
        return Unavailable(reason_of(answer))
    kind, content = answer
    if kind == b"known":
        return Known(int(content))
    return Conflict(None if content is None else room_from_answer(content))


def _ignore(answer: Any) -> None:
    """Take the answer to a request whose failure changes nothing: the lease of a lost node ends by itself."""
