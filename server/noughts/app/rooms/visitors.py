"""The visitors of a room on this node: its connections, the presence of its players, and the crowd messages."""

from __future__ import annotations

from typing import Final

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.room_connections import RoomConnections
from noughts.app.node.node_state import NodeState
from noughts.app.rooms.crowd import crowd_message
from noughts.app.rooms.keeper import keeper
from noughts.app.rooms.publisher import Publisher
from noughts.room.presence import Presence
from noughts.room.room import Room, players_of
from noughts.room.seat import Person
from noughts.room.transition import Moment
from noughts.room.turn_start import judged_as_of
from noughts.store.presence import PresenceMirror, RoomPresence

CROWD_INTERVAL_MS: Final = 1_000
"""The shortest time between two crowd messages to one client."""


class RoomVisitors:
    """The connections and the presence of one room. The room comes with each call, because each change makes a new one."""

    __slots__ = ("_agreed", "_mirror", "_node", "_publisher", "_room_id", "connections", "keeps", "presence")

    def __init__(
        self,
        room: Room,
        connections: RoomConnections,
        mirror: PresenceMirror,
        node: NodeState,
        publisher: Publisher,
        stored: RoomPresence | None = None,
    ) -> None:
        self.connections = connections
        self._room_id = room.id
        self._mirror = mirror
        self._node = node
        self._publisher = publisher
        self._agreed = node.downtime.agreed
        mirror.hold(room.id, node.clock.now_ms(), stored)
        self.presence = self._present(room)
        self.keeps = self._is_keeper()
        """Whether this node is the keeper of the room."""

    def moment(self, room: Room, arrived_ms: int = 0) -> Moment:
        """Return the moment for a step of a command that arrived at this time, or now if it is 0."""
        node = self._node
        now_ms, downtime = node.step_ms(), node.downtime
        if self._agreed is not downtime.agreed and self.presence.away:
            self.presence = self._present(room)  # absences leave the new downtime out
        at = Moment(now_ms, node.policy, self.presence, downtime.spans)
        return judged_as_of(at, room, arrived_ms) if arrived_ms else at

    # --- presence -----------------------------------------------------------------------------------------------

    def note_seats(self, room: Room) -> None:
        """Compute presence again after a change of seats or owner."""
        self.presence = self._present(room)
        self.crowd_changed()

    def note_lag(self, room: Room) -> None:
        """Take over a new measurement of a player's lag."""
        self.presence = self._present(room)

    def note_request(self, player: str) -> None:
        """Count an HTTP request as a sign of life, if its player has no connection."""
        if player not in self._mirror.attendance(self._room_id).players:
            self._mirror.seen(self._room_id, player, self._node.clock.now_ms())
            self._publish()

    def hold_again(self, room: Room, stored: RoomPresence) -> None:
        """Take over presence as it is stored, and report this node's connections again if the store lost them."""
        self._mirror.hold(room.id, self._node.clock.now_ms(), stored)
        self._publish()
        self.presence_changed(room)

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
        holders = self._mirror.holders(self._room_id)
        if len(holders) == 1:
            return holders[0] == self._mirror.node
        return keeper(self._room_id, holders) == self._mirror.node

    def _present(self, room: Room) -> Presence:
        self._agreed = self._node.downtime.agreed
        presence = self._mirror.presence(room.id, players_of(room), self._node.clock.now_ms())
        if presence.away and self._agreed:
            presence = self._node.without_downtime(room, presence)
        if room.clock is None:
            return presence
        lag_ms = self.connections.lag_ms()
        return Presence(presence.away, lag_ms, presence.connections, presence.last_left_ms, presence.since_ms)

    def _renew_presence(self, room: Room) -> bool:
        """Compute presence again, and send what depends on it if it changed. Return whether it did."""
        before, self.presence = self.presence, self._present(room)
        if before == self.presence:
            return False
        if before.away != self.presence.away and not room.playing and not room.closed:
            # Views with the same version, but another ``can``: the owner may free the seat of an absent player.
            self.connections.send_room(room, self.presence, None)
        if room.visibility == "public":
            self._publisher.lobby_changed()
        return True

    # --- coming and going ---------------------------------------------------------------------------------------

    def join(self, connection: Connection, room: Room) -> bool:
        """Add a connection, and send it the room, the crowd and the chat. Return whether presence has changed."""
        person, now_ms = connection.person, self._node.clock.now_ms()
        player, name = (None, "") if person is None else (person.player, person.name)
        self._mirror.arrived(room.id, player, name, now_ms)
        self._report(room, player)
        changed = self._renew_presence(room)
        self.connections.join(connection, room)
        self.connections.send_room_to(connection, room, self.presence)
        connection.crowd_sent_ms = now_ms
        connection.push(self._crowd(room, now_ms), "crowd")
        self.connections.send_lines_to(connection)
        self.crowd_changed()
        return changed

    def leave(self, connection: Connection, room: Room) -> bool:
        """Remove a connection. Return whether presence has changed."""
        person = connection.person
        self.connections.leave(connection)
        player = None if person is None else person.player
        self._mirror.departed(room.id, player, self._node.clock.now_ms())
        self._mirror.forget_departures(room.id, (*players_of(room), player or ""))
        self._report(room, player)
        if room.closed:
            return False
        changed = self._renew_presence(room)
        self.crowd_changed()
        return changed

    def _report(self, room: Room, player: str | None) -> None:
        """Tell other nodes at once that a seat holder came or went. Spectators wait for the next crowd message."""
        if player is not None and self._mirror.shared and player in players_of(room):
            self._publish()

    def _publish(self) -> None:
        """Send this node's report. Wake the room if this makes another node its keeper: its deadlines change."""
        self._mirror.publish(self._room_id)
        kept, self.keeps = self.keeps, self._is_keeper()
        if kept != self.keeps:
            self._publisher.schedule_retry(self._room_id, 0)

    def resend(self, connection: Connection, room: Room) -> None:
        """Send the room to a client whose view is behind."""
        self.connections.send_room_to(connection, room, self.presence)

    def rename(self, person: Person) -> None:
        """Change a player's name in the chat lines and among the spectators."""
        self.connections.rename(person.player, person.name)
        if person.player in self._mirror.attendance(self._room_id).players:
            self._mirror.renamed(self._room_id, person.player, person.name)
            self.crowd_changed()

    # --- the crowd ----------------------------------------------------------------------------------------------

    def crowd_changed(self) -> None:
        """Set the deadline of the next crowd message: now, or one interval after the last."""
        self._publisher.crowd_changed(self._room_id, self.connections.crowd_sent_ms + CROWD_INTERVAL_MS)

    def send_crowd(self, room: Room) -> None:
        """Send the crowd to every client that was not sent one within the last second."""
        now_ms = self._node.clock.now_ms()
        self._publish()
        self.connections.crowd_sent_ms = now_ms
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
        attendance = self._mirror.attendance(room.id)
        return crowd_message(room, self.presence, attendance, now_ms, self._node.policy)
