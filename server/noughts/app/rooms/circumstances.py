"""What every room of this node shares: the time, the operator's policy and the node's downtime."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.app.rooms.downtime import DowntimeLog
from noughts.app.runtime.clock import ServerClock
from noughts.room.downtime import absence_since_ms, downtime_since_ms
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.timers import grace_ms
from noughts.room.transition import Moment


class Circumstances:
    """The time, the operator's policy, and the downtime of this node."""

    __slots__ = ("clock", "downtime", "policy", "running_clocks")

    def __init__(self, clock: ServerClock, policy: Policy, downtime: DowntimeLog) -> None:
        self.clock = clock
        self.policy = policy
        self.downtime = downtime
        self.running_clocks: set[str] = set()
        """The rooms in which a flag can fall. The publisher keeps this set; the scheduler only tests if it is empty."""

    def owes_time(self, room: Room) -> bool:
        """Return whether a room's clock is to be compensated for downtime since its last change."""
        spans = self.downtime.spans
        return bool(spans) and room.clock is not None and room.playing and downtime_since_ms(spans, room.used_ms) > 0

    def without_downtime(self, room: Room, presence: Presence) -> Presence:
        """Return presence with absences that leave out downtime: no player could come back then."""
        spans, grace = self.downtime.spans, grace_ms(room, self.policy)
        away = {player: absence_since_ms(spans, since_ms, grace) for player, since_ms in presence.away.items()}
        return replace(presence, away=away)

    def moment(self, presence: Presence) -> Moment:
        """Return the moment for a step that is taken now."""
        return Moment(self.clock.now_ms(), self.policy, presence, self.downtime.spans)
