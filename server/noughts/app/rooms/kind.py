"""What the mechanism of :mod:`noughts.app.machines` must know of rooms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from noughts.app.machines.kind import EventCodec, Step
from noughts.app.players.names import NameLookup
from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, Wake
from noughts.room.events import Event, Said
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE
from noughts.room.room import Room, closed_room, players_of
from noughts.room.seat import HumanSeat, Names
from noughts.room.step import step
from noughts.room.storage import game_bytes, room_bytes, room_from
from noughts.room.timers import EXPIRY_STEP_MS, stored_wake_at_ms, time_runs
from noughts.room.transition import Moment
from noughts.store.kinds import ROOM
from noughts.store.machine_store import IndexEntry, Line, Listing

MATCH: Final = "match"
"""The list of the rooms of matches, which is in no lobby."""


class RoomKind:
    """A :class:`~noughts.app.machines.kind.Kind`."""

    name: Final = ROOM
    wake: Final = Wake()
    events: Final = EventCodec(tuple[Event, ...])

    def __init__(self, policy: Policy, names: NameLookup) -> None:
        self._policy = policy
        self._names = names

    def step(self, value: Room, command: AnyCommand, at: Moment) -> Step[Room, Event]:
        transition = step(value, command, at)
        finished, line = transition.finished, None
        records = () if finished is None else ((finished.number, game_bytes(finished)),)
        for event in transition.events:
            if type(event) is Said:
                line = Line(0, at.now_ms, event.player, event.mark, event.text, event.ply)
        return Step(transition.room, transition.events, records, line, finished)

    def closed(self, value: Room, version: int) -> Room:
        return replace(closed_room(value), version=version)

    def unknown(self) -> Rejection:
        return Rejection("unknown_room", "This room does not exist or has expired: make a new one.")

    # --- storage ------------------------------------------------------------------------------------------------

    encode = staticmethod(room_bytes)
    decode = staticmethod(room_from)

    def index_entry(self, value: Room) -> IndexEntry:
        return index_entry(value, self._policy)

    def index_change(self, before: Room, after: Room) -> IndexEntry | None:
        game, last = after.game, before.game
        if (
            after.seats is before.seats
            and after.owner is before.owner
            and game is not None
            and last is not None
            and game.outcome is None
            and last.outcome is None
            and after.clock is None
            and before.visibility == after.visibility
            and (before.used_ms - 1) // EXPIRY_STEP_MS == (after.used_ms - 1) // EXPIRY_STEP_MS
            and type(after.seats.X) is type(after.seats.O) is HumanSeat
        ):
            return None  # only a move was made, between two players without a clock, that changes no stored deadline
        entry = self.index_entry(after)
        return None if entry == self.index_entry(before) else entry

    async def names(self, value: Room, lines: Sequence[Line]) -> Names:
        return await self._names.in_rooms([value], lines)


def listing_of(room: Room) -> Listing | None:
    """Return the public list that a room belongs to; None if it is in no list."""
    if room.visibility != "public" or room.closed:
        return None
    if room.playing:
        return "live"
    return "open" if room.open_to_all else None


def index_entry(room: Room, policy: Policy) -> IndexEntry:
    """Return the entry by which the store finds a room. The room of a match is among no player's rooms."""
    wake_at_ms, runs = stored_wake_at_ms(room, policy), time_runs(room, NO_PRESENCE)
    if room.match is not None:
        return IndexEntry(wake_at_ms, MATCH, room.variant, (), runs)
    return IndexEntry(wake_at_ms, listing_of(room), room.variant, players_of(room), runs)
