"""Wakes rooms at their deadlines, and continues in every room after an outage of the store."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.deadlines import Deadlines
from noughts.app.rooms.engine_player import EnginePlayer
from noughts.app.rooms.registry import RoomRegistry
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.store.contract import NodeStore, StoreUnavailableError
from noughts.store.presence import PresenceLeases

PROBE_S: Final = 0.25
"""Seconds between two probes of a store that is unavailable."""
BEAT_S: Final = 1.0
"""Seconds between two beats of a node on which a clock runs."""
RETRY_MS: Final = 1_000

log = structlog.get_logger()


class Scheduler:
    """Wakes rooms at their deadlines. No other part wakes a room without a command."""

    def __init__(
        self,
        wakes: Deadlines,
        registry: RoomRegistry,
        engine: EnginePlayer,
        circumstances: Circumstances,
        node: NodeStore,
        presence: PresenceLeases,
        tasks: Tasks,
    ) -> None:
        self._wakes = wakes
        self._registry = registry
        self._engine = engine
        self._circumstances = circumstances
        self._node = node
        self._presence = presence
        self._tasks = tasks

    async def wake_rooms(self) -> None:
        """Wake every room at its deadline, until cancelled."""
        while True:
            for room_id in await self._wakes.reached():
                actor = self._registry.held(room_id)
                if actor is None:
                    self._tasks.run(self._open(room_id))
                else:
                    self._wake(actor)

    def _wake(self, actor: RoomActor) -> None:
        """Wake one room. A fault in it must not keep the other rooms from being woken."""
        try:
            actor.wake()
            self._engine.consider(actor)
        except Exception:
            log.exception("waking a room failed", room=actor.id)

    async def _open(self, room_id: str) -> None:
        try:
            actor = await self._registry.open(room_id)
        except Rejection as rejection:
            if rejection.code == "unavailable":
                self._wakes.set(room_id, self._circumstances.clock.now_ms() + (rejection.retry_ms or RETRY_MS))
            return
        except Exception:
            log.exception("waking a room failed", room=room_id)
            return
        self._wake(actor)

    async def watch_store(self) -> None:
        """Probe the store during each outage, and continue in every room once it answers."""
        downtime = self._circumstances.downtime
        while True:
            await downtime.wait()
            try:
                await self._node.ping()
            except StoreUnavailableError:
                await asyncio.sleep(PROBE_S)
                continue
            downtime.end(self._circumstances.clock.now_ms())
            for actor in self._registry:
                try:
                    actor.recovered()
                except Exception:
                    log.exception("a room did not continue after an outage", room=actor.id)

    async def beat(self) -> None:
        """Keep this node's presence alive, and store a beat each second while a clock runs in any room, until cancelled.

        After a restart, the time since the last beat is downtime and costs no player any time.
        """
        while True:
            await asyncio.sleep(BEAT_S)
            self._presence.beat(self._circumstances.clock.now_ms())
            if self._circumstances.running_clocks:
                with suppress(StoreUnavailableError):
                    await self._node.beat(self._circumstances.clock.now_ms())
