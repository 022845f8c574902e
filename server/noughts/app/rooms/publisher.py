"""What happens after a commit on this node: every audience sees the change, the next deadline is set, the lobby hears."""

from __future__ import annotations

from noughts.app.delivery.channel import Channel
from noughts.app.delivery.hub import Hub
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.deadlines import Deadlines
from noughts.app.rooms.repository import listing_of
from noughts.room.events import Closed, Reacted, Said, ViewEvent
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.timers import advance_at_ms, flag_at_ms, wake_at_ms
from noughts.room.transition import Transition
from noughts.store.contract import Change
from noughts.store.relay import Relay

LOBBY: str = "lobby"
"""The lobby's key among the notices: it has changed."""
LOBBY_LAPSE: str = "lobby lapse"
"""The same: a room leaves it at that time if nothing happens before."""


class Publisher:
    """Tells this node's connections, its deadlines and its lobby what changed, and the relay what other nodes must hear.

    ``wakes`` says when each room needs attention, ``notices`` when each room's crowd, and the lobby, are to be sent.
    """

    def __init__(
        self, hub: Hub, circumstances: Circumstances, wakes: Deadlines, notices: Deadlines, relay: Relay
    ) -> None:
        self._hub = hub
        self._circumstances = circumstances
        self._wakes = wakes
        self._notices = notices
        self._relay = relay

    def publish(
        self, before: Room, change: Change, done: Transition, line: int, channel: Channel, presence: Presence
    ) -> None:
        """Show a stored change to everybody who may see it. ``line`` is the number of its chat line."""
        after = done.room
        shown: ViewEvent | None = None
        for event in done.events:
            if isinstance(event, Said):
                if change.line is not None:
                    channel.send_line(change.line._replace(n=line), event.name)
            elif isinstance(event, Reacted):
                channel.send_reaction(event)
            else:
                shown = event
        if after is not before:
            self._show(before, after, shown, channel, presence)
        self._relay.publish(change)

    def publish_loaded(self, before: Room, after: Room, channel: Channel, presence: Presence) -> None:
        """Show a room that was read again to everybody here. ``before`` is the room as this node showed it last."""
        self._show(before, after, Closed() if after.closed else None, channel, presence)

    def _show(self, before: Room, after: Room, event: ViewEvent | None, channel: Channel, presence: Presence) -> None:
        if after.clock is not before.clock:
            channel.set_timed(after.clock is not None)
        channel.send_room(after, presence, event)
        if after.closed:
            self._hub.close_room(tuple(channel))
        if after.visibility == "public" or before.visibility == "public":
            self._lobby_changed(before, after)

    def _lobby_changed(self, before: Room, after: Room) -> None:
        if listing_of(after) is not None or listing_of(before) is not None:
            self.lobby_changed()

    def lobby_changed(self) -> None:
        """Send the lobby again soon."""
        if self._notices.at_ms(LOBBY) is None:
            self._notices.set(LOBBY, self._circumstances.clock.now_ms())

    def crowd_changed(self, room_id: str, not_before_ms: int) -> None:
        """Send a room's crowd again, at once or at this time."""
        if self._notices.at_ms(room_id) is None:
            self._notices.set(room_id, max(self._circumstances.clock.now_ms(), not_before_ms))

    def schedule(self, room: Room, presence: Presence, *, searching: bool) -> int | None:
        """Set the time at which the room next needs attention, and return it.

        While the engine searches, its move is not due again.
        """
        when = advance_at_ms if searching else wake_at_ms
        at_ms = when(room, presence, self._circumstances.policy)
        self._wakes.set(room.id, at_ms)
        if room.clock is not None and flag_at_ms(room, presence) is not None:
            self._circumstances.running_clocks.add(room.id)
        else:
            self._circumstances.running_clocks.discard(room.id)
        return at_ms

    def schedule_retry(self, room_id: str, delay_ms: int) -> None:
        """Wake a room after a delay, or when it is due before that."""
        at_ms, retry_ms = self._wakes.at_ms(room_id), self._circumstances.clock.now_ms() + delay_ms
        self._wakes.set(room_id, retry_ms if at_ms is None else min(at_ms, retry_ms))

    def forget(self, room_id: str) -> None:
        """Drop the deadlines of a room that is gone."""
        self._circumstances.running_clocks.discard(room_id)
        self._wakes.set(room_id, None)
        self._notices.set(room_id, None)
