"""Rooms in the store: loading them, and turning a transition into one durable change. Knows no sockets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from noughts.errors import Rejection
from noughts.room.events import Said
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.policy import Policy
from noughts.room.room import Room, RoomGame, players_of
from noughts.room.storage import game_bytes, game_from, room_bytes, room_from
from noughts.room.timers import EXPIRY_STEP_MS, stored_wake_at_ms
from noughts.room.transition import Moment, Transition
from noughts.store.contract import (
    Change,
    CommitReceiver,
    IndexEntry,
    Line,
    Listing,
    PlayerStore,
    RoomStore,
    StoredRoom,
)

CommandKey: TypeAlias = tuple[str, str]
"""A player, and the id of a command of that player."""


class UnreadableRoomError(Exception):
    """The bytes of a stored room cannot be decoded."""


class LoadedRoom(NamedTuple):
    """A room as it was last committed, with its answered ids, its newest chat lines, and the names of their speakers."""

    room: Room
    answered: IdempotencyKeys
    lines: tuple[Line, ...]
    names: Mapping[str, str]


def listing_of(room: Room) -> Listing | None:
    """Return the public list that a room belongs to; None if it is in no list."""
    if room.visibility != "public" or room.closed:
        return None
    if room.playing:
        return "live"
    return "open" if room.open_to_all else None


def index_entry(room: Room, policy: Policy) -> IndexEntry:
    """Return the entry by which the store finds a room."""
    return IndexEntry(stored_wake_at_ms(room, policy), listing_of(room), room.variant, players_of(room))


def index_change(before: Room, after: Room, policy: Policy) -> IndexEntry | None:
    """Return the index entry of a changed room; None if the entry stays the same."""
    same_people = before.seats is after.seats and before.owner is after.owner and before.variant == after.variant
    if same_people:
        if _plain_move(before, after):
            return None
        if listing_of(before) == listing_of(after) and stored_wake_at_ms(before, policy) == stored_wake_at_ms(
            after, policy
        ):
            return None
    entry = index_entry(after, policy)
    return None if not same_people and entry == index_entry(before, policy) else entry


def _plain_move(before: Room, after: Room) -> bool:
    """Return whether only a move was made, between two players without a clock, that leaves the stored deadline as it is."""
    game, last = after.game, before.game
    return (
        game is not None
        and last is not None
        and game.outcome is None
        and last.outcome is None
        and after.clock is None
        and before.visibility == after.visibility
        and (before.used_ms - 1) // EXPIRY_STEP_MS == (after.used_ms - 1) // EXPIRY_STEP_MS
        and not after.has_engine
    )


def change_of(
    before: Room, transition: Transition, at: Moment, answered: IdempotencyKeys, key: CommandKey | None
) -> Change:
    """Return the durable change that a transition makes.

    ``key`` is the command that the change answers ok. It is added to ``answered`` at once: if the commit then fails, the
    caller must read ``answered`` from the store again.
    """
    after = transition.room
    line = _line(transition, at.now_ms)
    data = index = game = None
    if after is not before and not after.closed:
        finished = transition.finished
        data, index = room_bytes(after), index_change(before, after, at.policy)
        game = None if finished is None else (finished.number, game_bytes(finished))
    encoded = None
    if key is not None:
        # After everything that can raise: a command that fails must not count as answered when it is sent again.
        answered.add(*key, after.version)
        encoded = answered.encoded()
    if after is not before and after.closed:
        return Change(after.id, before.version, after.version, command=key, closes=True)
    return Change(after.id, before.version, after.version, data, index, key, encoded, game, line)


def _line(transition: Transition, now_ms: int) -> Line | None:
    for event in transition.events:
        if isinstance(event, Said):
            return Line(0, now_ms, event.player, event.mark, event.text, event.ply)
    return None


class RoomRepository:
    """Loads and commits rooms."""

    def __init__(self, rooms: RoomStore, players: PlayerStore, policy: Policy) -> None:
        self._rooms = rooms
        self._players = players
        self._policy = policy

    async def load(self, room_id: str) -> LoadedRoom | None:
        """Return a room as it was last committed, None for an unknown one.

        Raise :class:`~noughts.store.contract.StoreUnavailableError` or :class:`UnreadableRoomError`.
        """
        stored = await self._rooms.load(room_id)
        return None if stored is None else await self.decoded(stored)

    async def decoded(self, stored: StoredRoom) -> LoadedRoom:
        """Return a stored room decoded, with the names of the players in its chat lines."""
        names = await self._players.names([line.player for line in stored.lines]) if stored.lines else {}
        return LoadedRoom(read_room(stored.data), IdempotencyKeys.decoded(stored.answered), stored.lines, names)

    async def game(self, room_id: str, number: int) -> RoomGame | None:
        """Return a finished game of a room; None if there is no such game."""
        data = await self._rooms.game(room_id, number)
        return None if data is None else game_from(data)

    def create(self, room: Room, receiver: CommitReceiver) -> None:
        """Submit a new room to the store."""
        index = index_entry(room, self._policy)
        self._rooms.submit(Change(room.id, 0, room.version, room_bytes(room), index, answered=b""), receiver)

    def commit(self, change: Change, receiver: CommitReceiver) -> None:
        """Submit a change to the store."""
        self._rooms.submit(change, receiver)


def read_room(data: bytes) -> Room:
    """Return the room in stored bytes. Raise :class:`UnreadableRoomError`."""
    try:
        return room_from(data)
    except (msgspec.DecodeError, Rejection) as error:
        raise UnreadableRoomError(str(error)) from None
