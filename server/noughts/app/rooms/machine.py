"""What the mechanism of :mod:`noughts.app.machines` must know of rooms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import structlog
from msgspec.structs import replace

from noughts.app.machines.machine import EventCodec, Loaded, Step
from noughts.app.players.names import NameLookup
from noughts.app.rooms.publisher import MATCH, RoomPublisher
from noughts.app.rooms.visitors import RoomVisitors
from noughts.app.runtime.logs import shown
from noughts.app.runtime.node_state import NodeState
from noughts.errors import Rejection
from noughts.room.clock import DaysClock
from noughts.room.commands import AnyCommand, Wake
from noughts.room.downtime import downtime_ms
from noughts.room.events import Closed, Ended, Event, Said
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE
from noughts.room.room import Room, closed_room, players_of
from noughts.room.seat import HumanSeat, Names
from noughts.room.step import step
from noughts.room.storage import game_bytes, room_bytes, room_from
from noughts.room.timers import EXPIRY_STEP_MS, stored_wake_at_ms, time_runs
from noughts.room.transition import Moment, Transition
from noughts.store.kinds import ROOM
from noughts.store.machine_store import IndexEntry, Line, Listing
from noughts.store.presence import PresenceMirror

log = structlog.get_logger()


class RoomMachine:
    """A :class:`~noughts.app.machines.machine.Machine`."""

    kind: Final = ROOM
    wake: Final = Wake()
    events: Final = EventCodec(Event)

    def __init__(
        self, node: NodeState, policy: Policy, mirror: PresenceMirror, publisher: RoomPublisher, names: NameLookup
    ) -> None:
        self._node = node
        self._policy = policy
        self._mirror = mirror
        self._publisher = publisher
        self._names = names

    def visitors(self, loaded: Loaded[Room]) -> RoomVisitors:
        return RoomVisitors(loaded, self._mirror, self._node, self._policy, self._publisher)

    def step(self, value: Room, command: AnyCommand, at: Moment) -> Step:
        transition = step(value, command, at)
        finished = transition.finished
        records = () if finished is None else ((finished.number, game_bytes(finished)),)
        return Step(transition.room, transition.events, records, _line(transition, at.now_ms))

    def note_stored(self, value: Room, events: tuple[Any, ...]) -> None:
        for event in events:
            if type(event) is Ended:
                log.info("game ended", room=shown(value.id), game=event.game, winner=event.winner, reason=event.reason)
            elif type(event) is Closed:
                log.info("room closed", id=shown(value.id))

    def closed(self, value: Room, version: int) -> Room:
        return replace(closed_room(value), version=version)

    # --- storage ------------------------------------------------------------------------------------------------

    def encode(self, value: Room) -> bytes:
        return room_bytes(value)

    def decode(self, data: bytes, current: Room | None = None) -> Room:
        return room_from(data, current)

    def index_entry(self, value: Room) -> IndexEntry:
        return index_entry(value, self._policy)

    def index_change(self, before: Room, after: Room) -> IndexEntry | None:
        if _plain_move(before, after):
            return None
        entry = self.index_entry(after)
        return None if entry == self.index_entry(before) else entry

    async def names(self, value: Room, lines: Sequence[Line]) -> Names:
        return await self._names.in_rooms([value], lines)

    # --- life ---------------------------------------------------------------------------------------------------

    def owes_time(self, value: Room) -> bool:
        spans, game = self._node.downtime.spans, value.game
        if not spans or value.clock is None or game is None or not value.playing:
            return False
        return downtime_ms(spans, max(value.used_ms, game.turn_since_ms), self._node.clock.now_ms()) > 0

    def rests_in_store(self, value: Room) -> bool:
        return isinstance(value.clock, DaysClock)

    def unknown(self) -> Rejection:
        return Rejection("unknown_room", "This room does not exist or has expired: make a new one.")


def _line(transition: Transition, now_ms: int) -> Line | None:
    """Return the chat line among the events; None without one."""
    for event in transition.events:
        if type(event) is Said:
            return Line(0, now_ms, event.player, event.mark, event.text, event.ply)
    return None


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


def _plain_move(before: Room, after: Room) -> bool:
    """Return whether only a move was made, between two players without a clock, that changes no stored deadline."""
    game, last = after.game, before.game
    return (
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
    )
