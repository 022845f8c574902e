"""The visitors of a room on this node: its connections, the presence of its players, the crowd, and the engine's search."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.frames import text_frame
from noughts.app.machines.machine import Loaded
from noughts.app.rooms.connections import RoomConnections
from noughts.app.rooms.publisher import RoomPublisher
from noughts.app.rooms.room_search import RoomSearch
from noughts.app.runtime.node_state import NodeState
from noughts.protocol.codec import encode
from noughts.protocol.messages import Crowd
from noughts.protocol.views import MAX_LISTED_NAMES, seats_presence
from noughts.room.clock import DaysClock
from noughts.room.downtime import absence_since_ms
from noughts.room.events import Reacted, Said, Sat
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room, mark_of, players_of
from noughts.room.seat import SOMEONE, Names, holder
from noughts.room.timers import (
    advance_at_ms,
    engine_at_ms,
    grace_ms,
    notice_at_ms,
    time_runs,
    untold_turn_ms,
    wake_at_ms,
)
from noughts.room.transition import Moment
from noughts.room.turn_start import begun_when_sent, held_or_stored, judged_as_of
from noughts.store.machine_store import Line, Record
from noughts.store.presence import Attendance, PresenceMirror

CROWD_INTERVAL_MS: Final = 1_000
"""The shortest time between two crowd messages to one client."""
WAIT_MS: Final = 150
"""How much later than the keeper another holder handles a deadline."""
SEARCH_WAIT_MS: Final = 30_000
"""How much later than the keeper another holder searches for the engine, or sends a notice. It does so at once when the
keeper dies."""
_NAMING: Final = frozenset((Sat, Said, Reacted))
"""The events that may be about a player whose name this node has not looked up."""
UNTOLD_MS: Final = 60_000
"""How often a node looks again at a turn whose player sees the page."""


def spectators(room: Room, attendance: Attendance) -> tuple[int, list[str]]:
    """Return the number of a room's spectators, and the names of those who are not nameless."""
    seated = (holder(room.seats.X), holder(room.seats.O))
    names = [name for player, name in attendance.players.items() if player not in seated]
    return attendance.nameless + len(names), names


def crowd_message(room: Room, presence: Presence, attendance: Attendance, now_ms: int, policy: Policy) -> bytes:
    """Return the crowd message as a frame. It lists names only up to :data:`MAX_LISTED_NAMES` spectators."""
    count, names = spectators(room, attendance)
    seats = seats_presence(room, presence, now_ms, policy)
    return text_frame(encode(Crowd(seats, count, tuple(names) if count <= MAX_LISTED_NAMES else ())))


class RoomVisitors:
    """The :class:`~noughts.app.machines.machine.Visitors` of one room."""

    __slots__ = (
        "_agreed", "_at_rest", "_mirror", "_node", "_policy", "_publisher", "_room_id",
        "connections", "keeps", "noticing", "presence", "search",
    )  # fmt: skip

    def __init__(
        self,
        loaded: Loaded[Room],
        mirror: PresenceMirror,
        node: NodeState,
        policy: Policy,
        publisher: RoomPublisher,
    ) -> None:
        room = loaded.value
        self.connections = RoomConnections(policy, loaded.lines, loaded.names)
        self.noticing = False
        """Whether the notice of the present turn is being sent."""
        self.search: RoomSearch | None = None
        """The search for the engine's move or answer that is under way."""
        self._room_id = room.id
        self._mirror = mirror
        self._node = node
        self._policy = policy
        self._publisher = publisher
        self._agreed = node.downtime.agreed
        self._at_rest: tuple[object, Presence] | None = None
        """The seats and the presence with which nothing falls due, whatever moves are made."""
        mirror.hold(room.id, node.clock.now_ms(), loaded.presence)
        self.presence = self._present(room)
        self.keeps = self._is_keeper()
        """Whether this node is the room's keeper, which handles its deadlines and searches for its engine.

        Nodes may disagree for a moment, so each other holder acts too, later. Compare-and-set lets one of them win.
        """

    @property
    def idle(self) -> bool:
        return self.search is None and not self.noticing and not len(self.connections)

    # --- time ---------------------------------------------------------------------------------------------------

    def moment(self, value: Room, arrived_ms: int = 0) -> Moment:
        now_ms, downtime = self._node.step_ms(), self._node.downtime
        if self._agreed is not downtime.agreed and self.presence.away:
            self.presence = self._present(value)  # absences leave the new downtime out
        at = Moment(now_ms, self._policy, self.presence, downtime.spans)
        return judged_as_of(at, value, arrived_ms) if arrived_ms else at

    def wake_at_ms(self, value: Room) -> int | None:
        """Return when this node attends to the room. A node that is not the room's keeper waits for longer.

        While a search is under way, the engine's move is left out.
        """
        rest, presence = self._at_rest, self.presence
        if rest is not None and rest[0] is value.seats and rest[1] is presence and not value.claimable:
            if value.clock is None:
                return None
            self._at_rest = None
        policy, searching = self._policy, self.search is not None
        if isinstance(value.clock, DaysClock):
            return self._wake_of_days(value, searching)
        if self.keeps:
            at_ms = (advance_at_ms if searching else wake_at_ms)(value, presence, policy)
            if at_ms is None and value.clock is None and not value.has_engine:
                self._at_rest = value.seats, presence
            return at_ms
        advance_at, engine_at = advance_at_ms(value, presence, policy), engine_at_ms(value, presence, policy)
        times = [] if advance_at is None else [advance_at + WAIT_MS]
        if engine_at is not None and not searching:
            times.append(engine_at + SEARCH_WAIT_MS)
        return min(times, default=None)

    def _wake_of_days(self, value: Room, searching: bool) -> int | None:
        """Return when this node attends to a room with a clock of days.

        It looks again after a while at a turn whose player sees the page. So the deadline in the store stays near, and a
        node that starts after a crash finds the turn.
        """
        policy, notice_at = self._policy, self.notice_at_ms(value)
        late_ms, search_ms = (0, 0) if self.keeps else (WAIT_MS, SEARCH_WAIT_MS)
        advance_at = advance_at_ms(value, self.presence, policy)
        engine_at = None if searching else engine_at_ms(value, self.presence, policy)
        times = [] if advance_at is None else [advance_at + late_ms]
        if engine_at is not None:
            times.append(engine_at + search_ms)
        if notice_at is not None:
            times.append(notice_at)
        elif untold_turn_ms(value, policy) is not None:
            times.append(self._node.clock.now_ms() + UNTOLD_MS)
        return min(times, default=None)

    def notice_at_ms(self, value: Room) -> int | None:
        """Return when this node sends the notice of the present turn; None without one, or while it is being sent."""
        at_ms = None if self.noticing else notice_at_ms(value, self.presence, self._policy)
        return at_ms if at_ms is None or self.keeps else at_ms + SEARCH_WAIT_MS

    def is_due(self, value: Room) -> bool:
        at = self.moment(value)
        at_ms = advance_at_ms(value, at.presence, at.policy)
        return at_ms is not None and at_ms <= at.now_ms

    def time_runs(self, value: Room) -> bool:
        return time_runs(value, self.presence)

    # --- changes ------------------------------------------------------------------------------------------------

    def publish(self, before: Room, after: Room, events: tuple[Any, ...], line: Line | None) -> Room:
        """Send a stored change. Return the room whose turn begins now that it is sent."""
        if after is not before and after.clock is not None:
            after = begun_when_sent(after, self._node.clock.now_ms())
        if after.seats is not before.seats or after.owner is not before.owner:
            self.note_seats(after)
        for event in events:
            if type(event) in _NAMING and event.player not in self.connections.names:
                present = self._mirror.attendance(after.id).players.get(event.player, event.name)
                self.connections.take_names({event.player: present})
        self._publisher.publish(before, after, events, line, self.connections, self.presence)
        if self.search is not None and after is not before:
            self._settle_search(after)
        return after

    def recorded(self, value: Room, records: tuple[Record, ...]) -> None:
        self._publisher.games_stored(value, records, self.connections.names)

    def publish_loaded(self, before: Room, after: Room, loaded: Loaded[Room] | None) -> Room:
        """Show a room that was read again if its version or a name is another, and the chat lines that were missed."""
        if loaded is not None:
            after = held_or_stored(before, after)  # only the held one says when its turn was sent
            if loaded.presence is not None:
                self._mirror.hold(after.id, self._node.clock.now_ms(), loaded.presence)
                self._report()
                self.presence_changed(after)
        renamed = loaded is not None and self.connections.take_names(loaded.names)
        if after.version != before.version:
            self.note_seats(after)
        if after.version != before.version or renamed:
            self._publisher.publish_loaded(before, after, self.connections, self.presence)
        if loaded is not None:
            self.connections.send_missed_lines(loaded.lines)
        else:
            self._publisher.forget(after.id)
        self._settle_search(after)
        return after

    def has_line(self, number: int) -> bool:
        return self.connections.has_line(number)

    def _settle_search(self, room: Room) -> None:
        """Cancel the search if the room no longer needs it."""
        search = self.search
        if search is not None and not search.is_wanted_by(room):
            self.search = None
            search.cancel()

    def released(self) -> None:
        self._mirror.release(self._room_id)
        if self._mirror.shared:
            self._publisher.forget(self._room_id)

    # --- presence -----------------------------------------------------------------------------------------------

    def note_seats(self, room: Room) -> None:
        """Compute presence again after a change of seats or owner."""
        self.presence = self._present(room)
        self.crowd_changed()

    def note_presence(self, room: Room) -> None:
        """Compute presence again after a new measurement of a player's lag."""
        self.presence = self._present(room)

    def note_request(self, player: str) -> None:
        """Count an HTTP request as a sign of life, if its player has no connection."""
        if player not in self._mirror.attendance(self._room_id).players:
            self._mirror.seen(self._room_id, player, self._node.clock.now_ms())
            self._report()

    def presence_changed(self, room: Room) -> bool:
        """Take over what other nodes reported. Return whether the room's deadlines may have changed."""
        kept, self.keeps = self.keeps, self._is_keeper()
        self._mirror.forget_departures(room.id, players_of(room))
        if room.closed:
            return False
        changed = self._renew_presence(room)
        self.crowd_changed()
        return changed or kept != self.keeps

    def _is_keeper(self) -> bool:
        return min(self._mirror.holders(self._room_id)) == self._mirror.node

    def _present(self, room: Room) -> Presence:
        self._agreed = spans = self._node.downtime.agreed
        presence = self._mirror.presence(room.id, players_of(room), self._node.clock.now_ms())
        if presence.away and spans:
            # No player could come back during downtime.
            grace = grace_ms(room, self._policy)
            away = {player: absence_since_ms(spans, since_ms, grace) for player, since_ms in presence.away.items()}
            presence = replace(presence, away=away)
        return presence if room.clock is None else replace(presence, lag_ms=self.connections.lag_ms())

    def _renew_presence(self, room: Room) -> bool:
        """Compute presence again, and send what depends on it if it changed. Return whether it did."""
        before, self.presence = self.presence, self._present(room)
        if before == self.presence:
            return False
        if before.away != self.presence.away and not room.playing and not room.closed:
            # Views with the same version, but another ``can``: the owner may free the seat of an absent player.
            self.connections.send_room(room, self.presence, None)
        return True

    # --- coming and going ---------------------------------------------------------------------------------------

    def join(self, connection: Connection, value: Room) -> bool:
        """Add a connection, and send it the room, the crowd and the chat."""
        person, now_ms = connection.person, self._node.clock.now_ms()
        player, name = (None, "") if person is None else (person.player, person.name)
        self._mirror.arrived(value.id, player, name, now_ms)
        self._report_player(value, player)
        changed = self._renew_presence(value)
        self.connections.join(connection, value)
        self.connections.send_room_to(connection, value, self.presence)
        connection.crowd_sent_ms = now_ms
        connection.push(self._crowd(value, now_ms), "crowd")
        self.connections.send_lines_to(connection)
        self.crowd_changed()
        return changed

    def leave(self, connection: Connection, value: Room) -> bool:
        person = connection.person
        self.connections.leave(connection)
        player = None if person is None else person.player
        if player is not None and not connection.visible:
            self._mirror.visible_changed(value.id, player, visible=True)
        self._mirror.departed(value.id, player, self._node.clock.now_ms())
        self._mirror.forget_departures(value.id, (*players_of(value), player or ""))
        self._report_player(value, player)
        if value.closed:
            return False
        changed = self._renew_presence(value)
        self.crowd_changed()
        return changed

    def visible_changed(self, connection: Connection, value: Room, *, visible: bool) -> bool:
        """Note whether a player sees the page on a connection. Return whether deadlines may have changed."""
        person = connection.person
        if person is None or connection.visible == visible or connection not in self.connections:
            return False
        connection.visible = visible
        self._mirror.visible_changed(value.id, person.player, visible=visible)
        self._report_player(value, person.player)
        return self._renew_presence(value)

    def _report_player(self, room: Room, player: str | None) -> None:
        """Tell other nodes at once that a seat holder came or went. Spectators wait for the next crowd message."""
        if player is not None and self._mirror.shared and player in players_of(room):
            self._report()

    def _report(self) -> None:
        """Send this node's report. Wake the room if this makes another node its keeper: its deadlines change."""
        self._mirror.publish(self._room_id)
        kept, self.keeps = self.keeps, self._is_keeper()
        if kept != self.keeps:
            self._publisher.wake_soon(self._room_id)

    def resend(self, connection: Connection, room: Room) -> None:
        """Send the room to a client whose view is behind."""
        self.connections.send_room_to(connection, room, self.presence)

    def rename(self, value: Room, names: Names) -> None:
        """Change the names of players in seats, in chat lines, and among the spectators.

        The players of a match keep their names of the tournament, unless the account was deleted.
        """
        here, before = self._mirror.attendance(value.id).players, self.connections.names
        seated = {holder(value.seats.X), holder(value.seats.O)} & names.keys()
        for player, name in names.items():
            if value.match is not None and name != SOMEONE and mark_of(value, player) is not None:
                continue
            self.connections.rename(player, name)
            if player in here:
                self._mirror.renamed(value.id, player, name)
                self.crowd_changed()
        if seated and self.connections.names is not before:
            self.connections.send_room(value, self.presence, None)

    # --- the crowd ----------------------------------------------------------------------------------------------

    def crowd_changed(self) -> None:
        """Set the deadline of the next crowd message: now, or one interval after the last."""
        self._publisher.crowd_changed(self._room_id, self.connections.crowd_sent_ms + CROWD_INTERVAL_MS)

    def send_crowd(self, room: Room) -> None:
        """Send the crowd to every client that was not sent one within the last second."""
        self._report()
        self.connections.crowd_sent_ms = now_ms = self._node.clock.now_ms()
        frame, again = self._crowd(room, now_ms), False
        for connection in self.connections:
            if now_ms - connection.crowd_sent_ms < CROWD_INTERVAL_MS:
                again = True  # this client has just joined, and was sent the crowd then
            else:
                connection.crowd_sent_ms = now_ms
                connection.push(frame, "crowd")
        if again:
            self.crowd_changed()

    def _crowd(self, room: Room, now_ms: int) -> bytes:
        return crowd_message(room, self.presence, self._mirror.attendance(room.id), now_ms, self._policy)
