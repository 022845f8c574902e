"""Time that passes when a test says so."""

from __future__ import annotations

from noughts.app.runtime.clock import ServerClock

START_MS = 1_700_000_000_000


class ManualClock(ServerClock):
    """A server's clock that stands still. Tests add to ``ms``."""

    def __init__(self) -> None:
        super().__init__()
        self.ms = START_MS

    def now_ms(self) -> int:
        return self.ms

    def not_before(self, stored_ms: int) -> int:
        behind_ms = max(0, stored_ms - self.ms)
        self.ms += behind_ms
        return behind_ms

    def now_s(self) -> float:
        return self.ms / 1000
