"""What a node does at regular times, whatever it holds."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import structlog

from noughts.app.delivery.admission import Admission
from noughts.app.runtime.limits import Bites
from noughts.app.runtime.logs import LogWriter
from noughts.app.runtime.metrics import Metrics

LAG_INTERVAL_S: Final = 1.0
OVERDUE_INTERVAL_S: Final = 1.0
BITES_INTERVAL_S: Final = 60.0

log = structlog.get_logger()


class Upkeep:
    """Three tasks of a node."""

    def __init__(self, metrics: Metrics, bites: Bites, admission: Admission, log_writer: LogWriter | None) -> None:
        self._metrics = metrics
        self._bites = bites
        self._admission = admission
        self._log_writer = log_writer

    async def watch_lag(self) -> None:
        """Measure how late the event loop runs a timer, which shows when something blocks it. Count dropped log lines."""
        while True:
            before_s = time.monotonic()
            await asyncio.sleep(LAG_INTERVAL_S)
            self._metrics.loop_lag_s = max(0.0, time.monotonic() - before_s - LAG_INTERVAL_S)
            if self._log_writer is not None:
                self._metrics.log_lines_dropped = self._log_writer.dropped

    async def log_bites(self) -> None:
        """Log once a minute how often each limit has rejected something, and what most of it came from."""
        while True:
            await asyncio.sleep(BITES_INTERVAL_S)
            log_bites_of(self._bites)

    async def drop_overdue_connections(self) -> None:
        """Drop the connections whose clients let a deadline pass."""
        while True:
            await asyncio.sleep(OVERDUE_INTERVAL_S)
            self._admission.drop_overdue(asyncio.get_running_loop().time())


def log_bites_of(bites: Bites) -> None:
    """Log what limits rejected since the last call, unless it is nothing. ``deploy/fail2ban`` reads this line."""
    ended = bites.end_minute()
    if ended:
        log.info("limits were reached", **{bite.limit: (bite.times, bite.holder) for bite in ended})
