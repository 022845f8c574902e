"""When nobody could play here: while the server was down before it started, and whenever its store was away.

Such time is charged to nobody. A room's last change is the latest moment at which all outages before it were accounted
for, since each change accounts for them first; so what is still owed follows from the room alone, and a give-back that
could not be stored is simply still owed.
"""

from __future__ import annotations

from typing import Final

_KEPT: Final = 1_000
"""Outages remembered; older ones are of rooms that have changed since or are long gone."""


class Outages:
    """The outages of one process, in Unix milliseconds, oldest first."""

    __slots__ = ("_ended", "_since_ms")

    def __init__(self) -> None:
        self._ended: list[tuple[int, int]] = []
        self._since_ms: int | None = None

    @property
    def on(self) -> bool:
        """Whether the store was away when it was last asked."""
        return self._since_ms is not None

    def add(self, from_ms: int, until_ms: int) -> None:
        """Note an outage that is over."""
        if until_ms > from_ms:
            self._ended.append((from_ms, until_ms))
            del self._ended[:-_KEPT]

    def begin(self, now_ms: int) -> bool:
        """Note that the store does not answer; whether that is news."""
        if self.on:
            return False
        self._since_ms = now_ms
        return True

    def end(self, now_ms: int) -> bool:
        """Note that the store answers; whether that is news."""
        if self._since_ms is None:
            return False
        self.add(self._since_ms, now_ms)
        self._since_ms = None
        return True

    def lost_ms(self, since_ms: int) -> int:
        """How long nobody could play, in all outages that are over, since a moment."""
        return sum(until_ms - max(from_ms, since_ms) for from_ms, until_ms in self._ended if until_ms > since_ms)
