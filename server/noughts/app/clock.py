"""The server's time: the wall clock as it was at the start, carried on by the monotonic one, so that a clock set back or
forward while the server runs neither flags a player nor gives anybody time."""

from __future__ import annotations

import time


class ServerClock:
    """Unix milliseconds that never jump."""

    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        """Unix milliseconds."""
        return (time.monotonic_ns() + self._ahead_ns) // 1_000_000

    def now_s(self) -> float:
        """Monotonic seconds, for rates and waits."""
        return time.monotonic()
