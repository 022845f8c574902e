"""What every part of this node shares: the time and the node's downtime."""

from __future__ import annotations

from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.downtime import DowntimeLog


class NodeState:
    """The time, and the downtime of this node."""

    __slots__ = ("clock", "downtime", "running_clocks", "stored_clocks")

    def __init__(self, clock: ServerClock, downtime: DowntimeLog) -> None:
        self.clock = clock
        self.downtime = downtime
        self.running_clocks: set[str] = set()
        """The held values whose time runs. Their actors keep this set."""
        self.stored_clocks: set[str] = set()
        """The kinds of stored values whose time runs, whether this node holds such a value or not."""

    @property
    def time_runs(self) -> bool:
        """Whether downtime must be measured."""
        return bool(self.running_clocks or self.stored_clocks)
