"""What a step takes beside the room, and what it gives back."""

from __future__ import annotations

from noughts.room.downtime import Downtime
from noughts.room.events import Event
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room, RoomGame
from noughts.values import Value


class Moment(Value):
    """The circumstances of a step: the time, who is connected, the operator's rules, and the downtime so far."""

    now_ms: int
    policy: Policy
    presence: Presence = NO_PRESENCE
    downtimes: tuple[Downtime, ...] = ()


class Transition(Value):
    """A room after a change, and what happened, in order. The last event tells most and is sent with the view.

    ``finished`` is the game that ended on the way: the room may already hold the next one.
    """

    room: Room
    events: tuple[Event, ...] = ()
    finished: RoomGame | None = None

    def after(self, *earlier: Event) -> Transition:
        """Return the same transition with events that happened before it."""
        return Transition(self.room, (*earlier, *self.events), self.finished)

    def following(self, earlier: Transition) -> Transition:
        """Return both transitions as one, the other first."""
        return Transition(self.room, (*earlier.events, *self.events), self.finished or earlier.finished)
