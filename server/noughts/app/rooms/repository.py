"""Rooms in the store: loading them, and turning a transition into one durable change. Knows no sockets."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from msgspec.structs import replace

from noughts.app.node.node_state import NodeState
from noughts.app.rooms.listed_rooms import ListedRooms
from noughts.app.rooms.news import news_bytes
from noughts.app.rooms.replies import AwaitedReply, damaged, not_stored
from noughts.app.rooms.unreadable_rooms import (
    UnreadableRejection,
    UnreadableRoomError,
    UnreadableRooms,
    read_newer_room,
    read_room,
)
from noughts.errors import Rejection
from noughts.room.events import Said
from noughts.room.idempotency import MAX_BYTES, CommandKey, IdempotencyKeys
from noughts.room.policy import Policy
from noughts.room.room import Room, RoomGame, closed_room, players_of
from noughts.room.seat import HumanSeat
from noughts.room.storage import RoomReader, game_bytes, game_from, room_bytes
from noughts.room.timers import EXPIRY_STEP_MS, stored_wake_at_ms
from noughts.room.transition import Moment, Transition
from noughts.store.contract import (
    Change,
    CommitAnswer,
    CommitReceiver,
    DamagedError,
    Failed,
    IndexEntry,
    Line,
    Listing,
    PlayerStore,
    RoomStore,
    Stored,
    StoredRoom,
    StoreUnavailableError,
    Unavailable,
)
from noughts.store.presence import RoomPresence


class LoadedRoom(NamedTuple):
    """A room as it was last committed, with its answered ids, its newest chat lines, and the names of their speakers.

    ``presence`` is that of a shared store, None in a store of one process.
    """

    room: Room
    answered: IdempotencyKeys
    lines: tuple[Line, ...]
    names: Mapping[str, str]
    presence: RoomPresence | None = None


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
        and type(after.seats.X) is type(after.seats.O) is HumanSeat
    )


def change_of(
    before: Room,
    transition: Transition,
    at: Moment,
    answered: IdempotencyKeys,
    key: CommandKey | None,
    *,
    shared: bool = False,
) -> Change:
    """Return the durable change that a transition makes. With ``shared``, it carries its events to other nodes.

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
        answered.add(key, after.version)
        encoded = answered.encoded()
        if len(encoded) > MAX_BYTES:
            answered.cut((*players_of(after), key[0]))
            encoded = answered.encoded()
    news = news_bytes(transition.events) if shared else None
    if after is not before and after.closed:
        return Change(after.id, before.version, after.version, command=key, closes=True, news=news)
    return Change(after.id, before.version, after.version, data, index, key, encoded, game, line, False, news)


def _line(transition: Transition, now_ms: int) -> Line | None:
    for event in transition.events:
        if type(event) is Said:
            return Line(0, now_ms, event.player, event.mark, event.text, event.ply)
    return None


class RoomRepository:
    """Loads, holds and commits rooms."""

    def __init__(self, rooms: RoomStore, players: PlayerStore, node: NodeState) -> None:
        self._rooms = rooms
        self._players = players
        self._node = node
        self._reader = RoomReader()
        self._unreadable = UnreadableRooms()
        self._listed = ListedRooms(self._unreadable)
        self.shared = rooms.shared
        """Whether other nodes may change rooms, so that a room in memory may be older than the stored one."""

    async def load(self, room_id: str) -> Room | None:
        """Return a room as it was last committed, None for an unknown one. Raise ``unavailable``."""
        with self._reading(room_id):
            stored = await self._rooms.load(room_id)
            return None if stored is None else read_room(stored.data)

    async def hold(self, room_id: str) -> LoadedRoom | None:
        """Hold a room and return it as it was last committed, None for an unknown one. Raise ``unavailable``."""
        with self._reading(room_id):
            held = await self._rooms.hold(room_id)
            return None if held is None else await self._decoded(held.stored, held.presence)

    def release(self, room_id: str) -> None:
        """Hold a room no longer."""
        self._rooms.release(room_id)

    async def decoded(self, room_id: str, stored: StoredRoom | None) -> LoadedRoom | None:
        """Return a stored room decoded, with the names of the players in its chat lines. Raise ``unavailable``."""
        with self._reading(room_id):
            return None if stored is None else await self._decoded(stored, None)

    async def _decoded(self, stored: StoredRoom, presence: RoomPresence | None) -> LoadedRoom:
        room = read_room(stored.data)
        try:
            answered = IdempotencyKeys.decoded(stored.answered)
        except Exception as error:  # the bytes may be anything
            raise UnreadableRoomError(f"its answered ids: {type(error).__name__}") from None
        names = await self._players.names([line.player for line in stored.lines]) if stored.lines else {}
        return LoadedRoom(room, answered, stored.lines, names, presence)

    @contextmanager
    def _reading(self, room_id: str) -> Iterator[None]:
        """Reject what cannot be read, and begin an outage if the store as a whole does not answer."""
        began_ms = self._node.clock.now_ms()
        try:
            yield
        except (DamagedError, UnreadableRoomError) as error:
            self._unreadable.note(room_id, str(error))
            raise UnreadableRejection from None
        except StoreUnavailableError as error:
            self._node.downtime.begin(began_ms, str(error))
            raise Rejection("unavailable", "The server cannot read this room now: try again.", retry_ms=1_000) from None

    def rejection_of(self, change: Change, answer: Unavailable | Failed, began_ms: int) -> Rejection:
        """Begin an outage, or log a room whose change cannot be stored. Return the rejection of the command."""
        if isinstance(answer, Failed):
            self._unreadable.note(change.room, answer.reason)
            return damaged()
        self._node.downtime.begin(began_ms, answer.reason)
        return not_stored()

    async def listed(
        self, listing: Listing, variant: str | None, limit: int
    ) -> AsyncGenerator[tuple[Room, RoomPresence | None]]:
        """Read a public list, newest first. Yield the rooms in it that can be read. Raise StoreUnavailableError."""
        return self._listed.read(await self._rooms.listed(listing, variant, limit))

    async def remove(self, room_id: str) -> bool:
        """Delete a room that cannot be read. Return False if there is none. Raise ``unavailable``."""
        try:
            stored = await self._rooms.load(room_id)
        except DamagedError:
            raise damaged() from None
        if stored is None:
            return False
        receiver = _Removal()
        self._rooms.submit(Change(room_id, stored.version, stored.version + 1, closes=True), receiver)
        await receiver.answer.future
        return True

    def changed(self, current: Room, change: Change) -> Room:
        """Return a room after a change that another node stored. Raise :class:`UnreadableRoomError`."""
        if change.data is None:
            return replace(closed_room(current), version=change.version) if change.closes else current
        return read_newer_room(self._reader, change.data, current)

    async def game(self, room_id: str, number: int) -> RoomGame | None:
        """Return a finished game of a room; None if there is no such game."""
        data = await self._rooms.game(room_id, number)
        return None if data is None else game_from(data)

    def create(self, room: Room, receiver: CommitReceiver) -> None:
        """Submit a new room to the store."""
        index = index_entry(room, self._node.policy)
        self._rooms.submit(Change(room.id, 0, room.version, room_bytes(room), index, answered=b""), receiver)

    async def postpone(self, room_id: str, at_ms: int) -> None:
        """Set the deadline of a room in the index. Raise :class:`StoreUnavailableError`."""
        await self._rooms.postpone(room_id, at_ms)

    def commit(self, change: Change, receiver: CommitReceiver) -> None:
        """Submit a change to the store."""
        self._rooms.submit(change, receiver)


class _Removal:
    """Receives the answer to the deletion of a room."""

    def __init__(self) -> None:
        self.answer = AwaitedReply()

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        if isinstance(answer, Failed):
            self.answer.rejected(damaged())
        elif isinstance(answer, Stored):
            self.answer.accepted(answer.version)
        else:
            self.answer.rejected(not_stored())
