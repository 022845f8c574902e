"""The moment of a step, which it takes with the room and the command, and the transition that it returns."""

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
    """A room after a change, and the events of the change, in order.

    ``finished`` is the game that ended with this change. The room may already hold the next game.
    """

    room: Room
    events: tuple[Event, ...] = ()
    finished: RoomGame | None = None

    def after(self, *earlier: Event) -> Transition:
        """Return the same transition with events that happened before it."""
        return Transition(self.room, (*earlier, *self.events), self.finished)

    def following(self, earlier: Transition) -> Transition:
        """Return this transition and an earlier one as a single transition."""
        return Transition(self.room, (*earlier.events, *self.events), self.finished or earlier.finished)
