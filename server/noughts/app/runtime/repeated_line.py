"""Log lines that may repeat: one is written a minute, and the others are counted."""

from __future__ import annotations

from typing import Final

LINE_INTERVAL_S: Final = 60.0
"""The shortest time between two such lines, in seconds."""


class RepeatedLine:
    """The occurrences of one event that have not been logged yet."""

    def __init__(self) -> None:
        self._count = 0
        self._next_s = float("-inf")

    def occurred(self, now_s: float) -> int:
        """Count an occurrence. Return the number to log now, with those before that were not; 0 to log nothing."""
        self._count += 1
        if now_s < self._next_s:
            return 0
        count, self._count = self._count, 0
        self._next_s = now_s + LINE_INTERVAL_S
        return count
