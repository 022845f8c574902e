"""Watches the store: sends the node's beats, notes when the store is lost, and goes on in every room once it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import structlog

from noughts.app.delivery.hub import Hub
from noughts.app.machines.registry import Registry
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.node_state import NodeState
from noughts.store.contract import NodeStore, StoreUnavailableError

PROBE_S: Final = 0.25
"""Seconds between two probes of a store that is unavailable."""
BEAT_S: Final = 1.0
"""Seconds between two beats of the only node of a store, while a clock runs in any room."""
SHARED_BEAT_S: Final = 0.5
"""Seconds between two beats of one of several nodes."""
LOSS_S: Final = 0.5
"""Seconds between two checks whether the store has been lost, as a file can be deleted."""
CLOSED_AT_A_TIME: Final = 40
"""A node that is cut off closes one in this many of its connections with each probe."""

log = structlog.get_logger()


class StoreWatch:
    """Three tasks about the store of this node."""

    def __init__(
        self, store: NodeStore, registries: Sequence[Registry[Any]], node: NodeState, heartbeat: Heartbeat, hub: Hub
    ) -> None:
        self._store = store
        self._registries = registries
        self._node = node
        self._heartbeat = heartbeat
        self._hub = hub

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
                with suppress(StoreUnavailableError):
                    await self._store.add_downtime(span)
            for registry in self._registries:
                registry.recovered()

    async def note_loss(self) -> None:
        """Begin an outage once the store has been lost, also while no client uses it, until cancelled."""
        while True:
            await asyncio.sleep(LOSS_S)
            reason = self._store.loss_reason()
            if reason is not None:
                self._node.downtime.begin(self._node.clock.now_ms(), reason)

    async def send_beats(self) -> None:
        """Send beats, until cancelled: always as one of several nodes, else only while a clock runs in any room.

        After a restart, the time since the last beat is downtime and costs no player any time.
        """
        shared = self._heartbeat.shared
        while True:
            await asyncio.sleep(SHARED_BEAT_S if shared else BEAT_S)
            for registry in self._registries:
                registry.drop_unattended()
            downtime = self._node.downtime
            if downtime.on or not (shared or self._node.running_clocks):
                continue
            began_ms = self._node.clock.now_ms()
            try:
                await self._heartbeat.beat()
            except StoreUnavailableError as error:
                if shared:
                    downtime.begin(began_ms, str(error))
