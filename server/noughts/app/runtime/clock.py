"""The server's time: this machine's for the only node of a store, the store's for one of several nodes."""

from __future__ import annotations

import time


class ServerClock:
    """The wall clock as it was at the start, carried on by the monotonic clock.

    If the system's clock is set while the server runs, no player gains or loses time. If it was set back before the start,
    time continues from the newest stored time.
    """

    def __init__(self) -> None:
        self._offset_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        """Return Unix milliseconds. They never jump."""
        return (time.monotonic_ns() + self._offset_ns) // 1_000_000

    def not_before(self, stored_ms: int) -> int:
        """Go on from a stored time if that is later. Return by how many milliseconds the wall clock was behind it."""
        behind_ms = max(0, stored_ms - self.now_ms())
        self._offset_ns += behind_ms * 1_000_000
        return behind_ms

    def now_s(self) -> float:
        """Return monotonic seconds, for rates and durations."""
        return time.monotonic()


class StoreClock(ServerClock):
    """The time of the store, which all nodes share, carried on by the monotonic clock. It never goes backwards.

    Each beat measures it. Half of the beat's round trip is the most by which a measurement is wrong, so a measurement
    within that of the time here changes nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._measured = False
        self._shown_ms = 0
        self.machine_ahead_ms = 0
        """How far the clock of this machine is ahead of the store's, as of the last measurement."""

    def now_ms(self) -> int:
        """Return the store's Unix milliseconds."""
        now_ms = super().now_ms()
        if now_ms > self._shown_ms:
            self._shown_ms = now_ms
        return self._shown_ms

    def measured(self, store_ms: int, sent_s: float, received_s: float) -> None:
        """Take over the store's time in the answer to a request, sent and received at these monotonic seconds."""
        middle_ns = int((sent_s + received_s) * 500_000_000)
        offset_ns = store_ms * 1_000_000 + 500_000 - middle_ns
        if not self._measured:
            self._measured, self._shown_ms = True, 0  # so far it was the time of this machine, which may be far ahead
        self.machine_ahead_ms = (time.time_ns() - time.monotonic_ns() - offset_ns) // 1_000_000
        if abs(offset_ns - self._offset_ns) > (received_s - sent_s) * 500_000_000 + 1_000_000:
            self._offset_ns = offset_ns
