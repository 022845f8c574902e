"""Publication of a room's changes on this node: to its clients and to the crowd."""

from __future__ import annotations

from typing import Final

from noughts.app.delivery.hub import Hub
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.outbox import Outbox
from noughts.app.rooms.announcements import GameAnnouncements
from noughts.app.rooms.connections import RoomConnections
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.quota import NetworkQuota
from noughts.room.events import Closed, Event, Reacted, Said, Sat, ViewEvent
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import Names
from noughts.room.storage import game_from
from noughts.store.machine_store import Line, Record

MATCH: Final = "match"
"""The list of the rooms of matches, which is in no lobby."""


class RoomPublisher:
    """Sends stored changes to this node's connections.

    ``wakes`` holds when each room next needs attention, ``crowds`` when each crowd is sent.
    ``quota`` forgets a room that is closed. ``ends`` holds the rooms of matches in which a game has ended.
    ``announcements`` tells the webhook of the operator, None without one.
    """

    def __init__(
        self,
        hub: Hub,
        node: NodeState,
        wakes: Deadlines,
        crowds: Deadlines,
        quota: NetworkQuota,
        ends: Outbox,
        announcements: GameAnnouncements | None = None,
    ) -> None:
        self._hub = hub
        self._node = node
        self._wakes = wakes
        self._crowds = crowds
        self._quota = quota
        self._ends = ends
        self._announcements = announcements

    def publish(
        self,
        before: Room,
        after: Room,
        events: tuple[Event, ...],
        line: Line | None,
        connections: RoomConnections,
        presence: Presence,
    ) -> None:
        """Send a stored change to every connection of the room. ``line`` is its chat line, with its number."""
        view_event: ViewEvent | None = None
        for event in events:
            if type(event) is Said:
                if line is not None:
                    connections.send_line(line)
            elif type(event) is Reacted:
                connections.send_reaction(event)
            else:
                view_event = connections.named(event) if type(event) is Sat else event
        if after is not before:
            self._show(before, after, view_event, connections, presence)
            if after.match is not None and not after.playing:
                self._ends.put(after.id)

    def games_stored(self, room: Room, records: tuple[Record, ...], names: Names) -> None:
        """Announce games that this node has ended."""
        if self._announcements is not None:
            for _, data in records:
                self._announcements.game_ended(room, game_from(data), names)

    def publish_loaded(self, before: Room, after: Room, connections: RoomConnections, presence: Presence) -> None:
        """Send a room that was read again to its connections. ``before`` is the room as this node sent it last.

        A store that lost changes returns an older version. Clients take that only on a new connection.
        """
        self._show(before, after, Closed() if after.closed else None, connections, presence)
        if after.version < before.version:
            self._hub.restart_room(tuple(connections))

    def _show(
        self, before: Room, after: Room, event: ViewEvent | None, connections: RoomConnections, presence: Presence
    ) -> None:
        if after.clock is not before.clock:
            connections.set_timed(after.clock is not None)
        connections.send_room(after, presence, event)
        if after.closed:
            self._quota.remove(after.id)
            self._hub.close_room(tuple(connections))
            self.forget(after.id)

    def crowd_changed(self, room_id: str, not_before_ms: int) -> None:
        """Send a room's crowd again, at once or at this time."""
        if self._crowds.at_ms(room_id) is None:
            self._crowds.set(room_id, max(self._node.clock.now_ms(), not_before_ms))

    def wake_soon(self, room_id: str) -> None:
        """Wake a room whose deadlines have changed."""
        self._wakes.set_sooner(room_id, self._node.clock.now_ms())

    def forget(self, room_id: str) -> None:
        """Send a room's crowd no more."""
        self._crowds.set(room_id, None)
