"""Counters of a node's connection to its store."""

from __future__ import annotations


class ConnectionStats:
    """Counters since the start, and the newest round trip. All stay 0 for a store in the same process."""

    __slots__ = ("batches", "commands", "conflicts", "connects", "incapable", "pushes", "round_trip_s", "timeouts")

    def __init__(self) -> None:
        self.incapable = 0
        """Answers that the store serves no node now, such as that its memory is full."""
        self.batches = self.commands = self.conflicts = self.connects = self.pushes = self.timeouts = 0
        self.round_trip_s = 0.0
