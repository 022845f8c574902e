"""One timer for everything that must happen later: a heap of times, and one callback of the event loop for the nearest."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable


class Deadlines:
    """When each room is to be woken. A room has one time; setting it again replaces it. Nothing runs while none is due."""

    def __init__(self, now_ms: Callable[[], int], wake: Callable[[str], None]) -> None:
        self._now_ms = now_ms
        self._wake = wake
        self._at: dict[str, int] = {}
        self._heap: list[tuple[int, str]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0

    def __len__(self) -> int:
        return len(self._at)

    def set(self, room: str, at_ms: int | None) -> None:
        """Wake ``room`` at this time, or not at all."""
        if at_ms is None:
            self._at.pop(room, None)
            return
        if self._at.get(room) == at_ms:
            return
        self._at[room] = at_ms
        heapq.heappush(self._heap, (at_ms, room))
        if self._timer is None or at_ms < self._timer_at:
            self._arm()
        if len(self._heap) > 64 and len(self._heap) > 4 * len(self._at):
            self._heap = [(at, name) for name, at in self._at.items()]
            heapq.heapify(self._heap)

    def stop(self) -> None:
        """Wake nobody any more."""
        self._at.clear()
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._heap and self._at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)  # replaced since
        if self._heap:
            self._timer_at = self._heap[0][0]
            # A day at most: the loop's clock would refuse a wait of years.
            wait_s = min(86_400.0, max(0.0, (self._timer_at - self._now_ms()) / 1000))
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._due)

    def _due(self) -> None:
        self._timer = None
        now_ms = self._now_ms()
        due = []
        while self._heap and self._heap[0][0] <= now_ms:
            at_ms, room = heapq.heappop(self._heap)
            if self._at.get(room) == at_ms:
                del self._at[room]
                due.append(room)
        self._arm()
        for room in due:
            self._wake(room)
