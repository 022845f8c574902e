"""Publication of a stored change on this node: the views of its clients, and the deadlines of room, crowd and lobby."""

from __future__ import annotations

from typing import Final

from noughts.app.delivery.hub import Hub
from noughts.app.delivery.room_connections import RoomConnections
from noughts.app.machines.deadlines import Deadlines
from noughts.app.node.node_state import NodeState
from noughts.app.rooms.keeper import SEARCH_WAIT_MS, WAIT_MS
from noughts.app.rooms.quota import RoomQuota
from noughts.app.rooms.repository import listing_of
from noughts.room.events import Closed, Event, Reacted, Said, ViewEvent
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.timers import advance_at_ms, engine_at_ms, flag_at_ms, wake_at_ms
from noughts.store.contract import Line

LOBBY: Final = "lobby"
"""The key in ``notices`` for a changed lobby."""
LOBBY_LAPSE: Final = "lobby lapse"
"""The key in ``notices`` for the time at which a room leaves the lobby if nothing changes before."""


class Publisher:
    """Sends changes to this node's connections, and sets the deadlines that follow from them.

    ``wakes`` holds when each room next needs attention. ``notices`` holds when the crowd of each room, and the lobby, are to
    be sent. ``quota`` forgets a room that is closed.
    """

    def __init__(self, hub: Hub, node: NodeState, wakes: Deadlines, notices: Deadlines, quota: RoomQuota) -> None:
        self._hub = hub
        self._node = node
        self._wakes = wakes
        self._notices = notices
        self._quota = quota

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
                    connections.send_line(line, event.name)
            elif type(event) is Reacted:
                connections.send_reaction(event)
            else:
                view_event = event
        if after is not before:
            self._show(before, after, view_event, connections, presence)

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
        if after.visibility == "public" or before.visibility == "public":
            self._lobby_changed(before, after)

    def _lobby_changed(self, before: Room, after: Room) -> None:
        if listing_of(after) is not None or listing_of(before) is not None:
            self.lobby_changed()

    def lobby_changed(self) -> None:
        """Send the lobby again soon."""
        if self._notices.at_ms(LOBBY) is None:
            self._notices.set(LOBBY, self._node.clock.now_ms())

    def crowd_changed(self, room_id: str, not_before_ms: int) -> None:
        """Send a room's crowd again, at once or at this time."""
        if self._notices.at_ms(room_id) is None:
            self._notices.set(room_id, max(self._node.clock.now_ms(), not_before_ms))

    def schedule(self, room: Room, presence: Presence, *, searching: bool, keeps: bool = True) -> int | None:
        """Set the time at which the room next needs attention, and return it.

        While a search is under way, the engine's move is left out. A node that is not the room's keeper waits for longer.
        """
        policy = self._node.policy
        when = advance_at_ms if searching else wake_at_ms
        at_ms = when(room, presence, policy)
        if not keeps and at_ms is not None:
            advance_at, engine_at = advance_at_ms(room, presence, policy), engine_at_ms(room, presence, policy)
            at_ms = None if advance_at is None else advance_at + WAIT_MS
            if engine_at is not None and not searching:
                at_ms = engine_at + SEARCH_WAIT_MS if at_ms is None else min(at_ms, engine_at + SEARCH_WAIT_MS)
        self._wakes.set(room.id, at_ms)
        if room.clock is not None and flag_at_ms(room, presence) is not None:
            self._node.running_clocks.add(room.id)
        else:
            self._node.running_clocks.discard(room.id)
        return at_ms

    def schedule_retry(self, room_id: str, delay_ms: int) -> None:
        """Wake a room after a delay, or earlier if it has an earlier deadline."""
        at_ms, retry_ms = self._wakes.at_ms(room_id), self._node.clock.now_ms() + delay_ms
        self._wakes.set(room_id, retry_ms if at_ms is None else min(at_ms, retry_ms))

    def forget(self, room_id: str) -> None:
        """Remove the deadlines of a room that does not exist any more."""
        self._node.running_clocks.discard(room_id)
        self._wakes.set(room_id, None)
        self._notices.set(room_id, None)
