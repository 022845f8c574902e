"""The server's time."""

from __future__ import annotations

import time


class ServerClock:
    """The wall clock as it was at the start, carried on by the monotonic clock.

    If the system's clock is set while the server runs, no player gains or loses time.
    """

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        """Return Unix milliseconds. They never jump."""
        return (time.monotonic_ns() + self._offset_ns) // 1_000_000

    def now_s(self) -> float:
        """Return monotonic seconds, for rates and durations."""
        return time.monotonic()
