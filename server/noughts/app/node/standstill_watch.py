"""Watches for standstills: an event loop that does not run, as in a stopped process, and a store that does not answer.

Both are downtime: the time is given back to the players on a clock, logged, and counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import structlog

from noughts.app.machines.registry import Registry
from noughts.app.node.downtime import TICK_MS
from noughts.app.node.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.room.downtime import Downtime
from noughts.store.contract import NodeStore, SlowCommit, StoreUnavailableError

log = structlog.get_logger()


class StandstillWatch:
    """Makes the event loop tick, and looks at the store with each tick."""

    def __init__(self, node: NodeState, store: NodeStore, registries: Sequence[Registry[Any]], tasks: Tasks) -> None:
        self._node = node
        self._store = store
        self._registries = registries
        self._tasks = tasks
        self._lasting: Downtime | None = None
        """The standstill of the store that lasts, as it was noted with the last tick."""
        self._ended: SlowCommit | None = None
        """The last standstill of the store that is over."""

    async def watch(self) -> None:
        """Look for standstills, until cancelled."""
        self._node.downtime.tick(self._node.clock.now_ms())
        while True:
            await asyncio.sleep(TICK_MS / 1000)
            self.look()

    def look(self) -> None:
        """Note the standstills that are over, and one of the store that lasts."""
        clock, downtime = self._node.clock, self._node.downtime
        now_ms = clock.now_ms()
        downtime.tick(now_ms)
        for span in downtime.take_standstills():
            self._count("the server stood still", span)
        commit = self._store.slow_commit
        if commit is None or commit == self._ended:
            return
        age_ms = int((clock.now_s() - commit.from_s) * 1000)
        from_ms = now_ms - age_ms if self._lasting is None else self._lasting.from_ms
        if commit.until_s is None:
            if self._lasting is None:
                log.error("the store does not answer: commands wait for it", seconds=age_ms / 1000)
            span = Downtime(from_ms, now_ms)
            downtime.replace(self._lasting, span)
            self._lasting = span
        else:
            span = Downtime(from_ms, from_ms + int((commit.until_s - commit.from_s) * 1000))
            downtime.replace(self._lasting, span)
            self._lasting, self._ended = None, commit
            self._count("the store stood still", span)

    def _count(self, event: str, span: Downtime) -> None:
        """Log and count a standstill that is over, store it, and show every clock as it is compensated."""
        node = self._node
        seconds = (span.until_ms - span.from_ms) / 1000
        log.warning(f"{event}: players on a clock are given the time back", seconds=seconds)
        node.downtime.standstills += 1
        node.downtime.standstill_s += seconds
        self._tasks.run(self._keep(span))
        for registry in self._registries:
            registry.compensate()

    async def _keep(self, span: Downtime) -> None:
        with suppress(StoreUnavailableError):
            await self._store.add_downtime(span)
