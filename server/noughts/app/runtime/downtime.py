"""The downtime of this node: before it started, in each outage of its store, and while it or its store stood still."""

from __future__ import annotations

import asyncio
from operator import attrgetter
from typing import Final

import structlog

from noughts.room.downtime import Downtime
from noughts.store.contract import MAX_DOWNTIMES

log = structlog.get_logger()

STANDSTILL_MS: Final = 1_000
"""An event loop that stands still for longer than this was away."""
TICK_MS: Final = 250
"""Milliseconds between two notes that the event loop runs."""
_NEVER_MS: Final = 1 << 62


class DowntimeLog:
    """The downtime of one node.

    Each step compensates its room for the downtime since the room's last change. So the spans here and ``used_ms`` of the
    room say what is still to be compensated.
    """

    def __init__(self, *, shared: bool = False) -> None:
        self.spans: tuple[Downtime, ...] = ()
        """All downtime, in the order of its ends. It costs no player time on the clock."""
        self.agreed: tuple[Downtime, ...] = ()
        """The downtime that every node of the store knows. Absences leave it out, and all nodes agree on their start."""
        self.late_ms = _NEVER_MS
        """When the event loop has stood still for too long, unless it ticks before. Never, if nothing makes it tick."""
        self.standstills = 0
        """Standstills of the event loop and of the store so far."""
        self.standstill_s = 0.0
        self.on = False
        """Whether the store was unavailable when it was last used."""
        self._shared = shared
        self._own: tuple[Downtime, ...] = ()
        self._ticked_ms = 0
        self._standstills: list[Downtime] = []
        self._since_ms: int | None = None
        self._reason = ""
        self._begun = asyncio.Event()

    # --- spans --------------------------------------------------------------------------------------------------

    def take(self, spans: tuple[Downtime, ...]) -> None:
        """Take over the spans that the store knows."""
        if spans != self.agreed:
            self._set(spans, self._own)

    def add(self, from_ms: int, until_ms: int) -> None:
        """Add a span that is over."""
        if until_ms > from_ms:
            self.replace(None, Downtime(from_ms, until_ms))

    def replace(self, old: Downtime | None, new: Downtime) -> None:
        """Add a span in place of an earlier one, which lasted until then."""
        spans = [span for span in (self._own if self._shared else self.agreed) if span != old]
        kept = (*spans, new)[-MAX_DOWNTIMES:]
        self._set(*((self.agreed, kept) if self._shared else (kept, ())))

    def _set(self, agreed: tuple[Downtime, ...], own: tuple[Downtime, ...]) -> None:
        self.agreed, self._own = agreed, own
        self.spans = tuple(sorted((*agreed, *own), key=attrgetter("until_ms")))

    # --- outages ------------------------------------------------------------------------------------------------

    def begin(self, now_ms: int, reason: str = "") -> bool:
        """Begin a span: the store does not answer. Return False if one has begun already."""
        self.note(reason)
        if self._since_ms is not None:
            return False
        self._since_ms, self.on = now_ms, True
        self._begun.set()
        return True

    def note(self, reason: str) -> None:
        """Log why the store does not answer, once for each outage."""
        if reason and reason != self._reason:
            self._reason = reason
            log.error("the store cannot be used", reason=reason)

    def end(self, now_ms: int) -> Downtime | None:
        """End the span that has begun: the store answers again. Return the span, None without one."""
        if self._since_ms is None:
            return None
        span = Downtime(self._since_ms, now_ms)
        self.discard()
        self.add(*span)
        return span

    def discard(self) -> None:
        """End the span that has begun without counting it: this node held no room yet."""
        self._since_ms, self.on = None, False
        self._begun.clear()
        if self._reason:
            self._reason = ""
            log.info("the store can be used again")

    async def wait(self) -> None:
        """Wait until the store is unavailable."""
        await self._begun.wait()

    # --- standstills of the event loop --------------------------------------------------------------------------

    def tick(self, now_ms: int) -> None:
        """Note that the event loop runs. If it stood still until now, the time since the last tick was downtime.

        A step calls this too when it is late: it may be the first to run after a standstill.
        """
        if now_ms > self.late_ms:
            span = Downtime(self._ticked_ms, now_ms)
            self.add(*span)
            self._standstills.append(span)
        self._ticked_ms, self.late_ms = now_ms, now_ms + TICK_MS + STANDSTILL_MS

    def clock_set(self, now_ms: int) -> None:
        """Note that the server's time may have jumped. That is not a standstill."""
        if self.late_ms != _NEVER_MS:
            self.late_ms = _NEVER_MS
            self.tick(now_ms)

    def take_standstills(self) -> list[Downtime]:
        """Return the standstills since the last call."""
        standstills, self._standstills = self._standstills, []
        return standstills
