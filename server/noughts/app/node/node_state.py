"""What every room of this node shares: the time, the operator's policy and the node's downtime."""

from __future__ import annotations

from msgspec.structs import replace

from noughts.app.node.downtime import DowntimeLog
from noughts.app.runtime.clock import ServerClock
from noughts.room.downtime import absence_since_ms, downtime_ms
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.timers import grace_ms


class NodeState:
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
        spans, game = self.downtime.spans, room.game
        if not spans or room.clock is None or game is None or not room.playing:
            return False
        return downtime_ms(spans, max(room.used_ms, game.turn_since_ms), self.clock.now_ms()) > 0

    def without_downtime(self, room: Room, presence: Presence) -> Presence:
        """Return presence with absences that leave out downtime: no player could come back then."""
        spans, grace = self.downtime.agreed, grace_ms(room, self.policy)
        away = {player: absence_since_ms(spans, since_ms, grace) for player, since_ms in presence.away.items()}
        return replace(presence, away=away)

    def step_ms(self) -> int:
        """Return the time of a step that is taken now. If the event loop stood still until now, that is noted first."""
        now_ms, downtime = self.clock.now_ms(), self.downtime
        if now_ms > downtime.late_ms:
            downtime.tick(now_ms)
        return now_ms
