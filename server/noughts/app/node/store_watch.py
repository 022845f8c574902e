"""Watches the store and the event loop: beats, outages, and standstills, in which one of the two does not answer.

Standstills are downtime too: the time is given back to the players on a clock, logged, and counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog

from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.registry import AnyRegistry
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.runtime.downtime import TICK_MS
from noughts.room.downtime import Downtime
from noughts.store.contract import SlowCommit, StoreUnavailableError

PROBE_S: Final = 0.25
"""Seconds between two probes of a store that is unavailable."""
BEAT_S: Final = 1.0
"""Seconds between two beats of the only node of a store, while a clock runs in any room."""
SHARED_BEAT_S: Final = 0.5
"""Seconds between two beats of one of several nodes."""
CLOSED_AT_A_TIME: Final = 40
"""A node that is cut off closes one in this many of its connections with each probe."""

log = structlog.get_logger()


class StoreWatch:
    """Three tasks about the store of this node and its event loop."""

    def __init__(self, parts: NodeParts, registries: Sequence[AnyRegistry], heartbeat: Heartbeat) -> None:
        self._store = parts.backend.store
        self._registries = registries
        self._node = parts.state
        self._heartbeat = heartbeat
        self._hub = parts.hub
        self._tasks = parts.tasks
        self._lasting: Downtime | None = None
        """The standstill of the store that lasts, as it was noted with the last tick."""
        self._ended: SlowCommit | None = None
        """The last standstill of the store that is over."""

    async def probe(self) -> None:
        """Probe the store during each outage, and continue in every room once it answers, until cancelled."""
        downtime = self._node.downtime
        while True:
            await downtime.wait()
            try:
                await self._heartbeat.beat()
            except StoreUnavailableError as error:
                downtime.note(str(error))
                if self._heartbeat.cut_off:
                    self._hub.close_some(CLOSED_AT_A_TIME)
                await asyncio.sleep(PROBE_S)
                continue
            span = downtime.end(self._node.clock.now_ms())
            if span is not None:
                await self._keep(span)
            for registry in self._registries:
                registry.recovered()

    async def send_beats(self) -> None:
        """Send beats, until cancelled: always as one of several nodes, else only while a clock runs in any room.

        An idle server writes nothing, but it looks whether another one writes to its file.

        After a restart, the time since the last beat is downtime and costs no player any time.
        """
        shared = self._heartbeat.shared
        while True:
            await asyncio.sleep(SHARED_BEAT_S if shared else BEAT_S)
            for registry in self._registries:
                registry.drop_unattended()
            downtime = self._node.downtime
            if downtime.on:
                continue
            began_ms = self._node.clock.now_ms()
            try:
                if shared or self._node.time_runs:
                    await self._heartbeat.beat()
                else:
                    await self._store.check_writer()
            except StoreUnavailableError as error:
                if shared:
                    downtime.begin(began_ms, str(error))

    # --- standstills --------------------------------------------------------------------------------------------

    async def tick(self) -> None:
        """Look for standstills and for the loss of the store, until cancelled."""
        self._node.downtime.tick(self._node.clock.now_ms())
        while True:
            await asyncio.sleep(TICK_MS / 1000)
            self.look()

    def look(self) -> None:
        """Note the standstills that are over, one of the store that lasts, and the loss of the store.

        The store can be lost while no client uses it, as a file can be deleted.
        """
        clock, downtime = self._node.clock, self._node.downtime
        now_ms = clock.now_ms()
        downtime.tick(now_ms)
        for span in downtime.take_standstills():
            self._count("the server stood still", span)
        reason = self._store.loss_reason()
        if reason is not None:
            downtime.begin(now_ms, reason)
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
        """Log, count and store a standstill that is over. Show every clock with the time given back."""
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
