"""Wakes rooms at their deadlines, and continues in every room after an outage of the store."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from noughts.app.delivery.hub import Hub
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.deadlines import Deadlines
from noughts.app.rooms.engine_player import EnginePlayer
from noughts.app.rooms.heartbeat import Heartbeat
from noughts.app.rooms.registry import RoomRegistry
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.room.timers import EXPIRY_STEP_MS, wake_at_ms
from noughts.store.contract import Store, StoreUnavailableError

PROBE_S: Final = 0.25
"""Seconds between two probes of a store that is unavailable."""
BEAT_S: Final = 1.0
"""Seconds between two beats of the only node of a store, while a clock runs in any room."""
WATCH_S: Final = 0.5
"""Seconds between two looks whether the store has been lost, as a file can be deleted."""
SHARED_BEAT_S: Final = 0.5
"""Seconds between two beats of one of several nodes."""
POLL_S: Final = 0.5
"""Seconds between two looks at the deadlines of the rooms that no node holds."""
MAX_CLAIMED: Final = 64
"""The most rooms that a node wakes at a time."""
CLAIM_MS: Final = 1_000
"""How long other nodes leave a room alone that one has claimed. Once that node holds it, they do so anyway."""
RETRY_MS: Final = 1_000
CLOSED_AT_A_TIME: Final = 40
"""A node that is cut off closes this part of its connections with each probe."""

log = structlog.get_logger()


class Scheduler:
    """Wakes rooms at their deadlines. No other part wakes a room without a command."""

    def __init__(
        self,
        wakes: Deadlines,
        registry: RoomRegistry,
        engine: EnginePlayer,
        circumstances: Circumstances,
        store: Store,
        heartbeat: Heartbeat,
        hub: Hub,
        tasks: Tasks,
    ) -> None:
        self._wakes = wakes
        self._registry = registry
        self._engine = engine
        self._circumstances = circumstances
        self._store = store
        self._heartbeat = heartbeat
        self._hub = hub
        self._tasks = tasks

    # --- deadlines ----------------------------------------------------------------------------------------------

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

    async def _open(self, room_id: str) -> RoomActor | None:
        try:
            actor = await self._registry.open(room_id)
        except Rejection as rejection:
            if rejection.code == "unavailable":
                self._wakes.set(room_id, self._circumstances.clock.now_ms() + (rejection.retry_ms or RETRY_MS))
            return None
        except Exception:
            log.exception("waking a room failed", room=room_id)
            return None
        self._wake(actor)
        return actor

    async def learn_deadlines(self) -> None:
        """Read the deadline of every room, as the only node of a store. A room itself is read once it is due."""
        for room_id, at_ms in await self._store.deadlines():
            self._wakes.set(room_id, at_ms)
            if at_ms % EXPIRY_STEP_MS:  # not an expiry, which is rounded: a flag may fall
                self._circumstances.running_clocks.add(room_id)

    async def poll_deadlines(self) -> None:
        """Wake the rooms that are due and that no node holds, until cancelled."""
        while True:
            await asyncio.sleep(POLL_S)
            if not self._circumstances.downtime.on:
                with suppress(StoreUnavailableError):
                    await self.wake_claimed()

    async def wake_claimed(self) -> None:
        """Claim rooms that are due and that no node holds, and wake them. Raise :class:`StoreUnavailableError`."""
        now_ms = self._circumstances.clock.now_ms()
        for room_id in await self._store.claim_due(now_ms, MAX_CLAIMED, CLAIM_MS):
            self._tasks.run(self._wake_claimed(room_id))

    async def _wake_claimed(self, room_id: str) -> None:
        """Wake one claimed room. Set its deadline in the store if nothing is due yet."""
        actor = await self._open(room_id)
        at_ms: int | None = None
        if actor is not None and not actor.closed:
            at_ms = wake_at_ms(actor.room, actor.presence, self._circumstances.policy)
        if at_ms is not None and at_ms > self._circumstances.clock.now_ms():
            with suppress(StoreUnavailableError):
                await self._store.postpone(room_id, at_ms)

    # --- the store ----------------------------------------------------------------------------------------------

    async def watch_store(self) -> None:
        """Probe the store during each outage, and continue in every room once it answers."""
        downtime = self._circumstances.downtime
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
            span = downtime.end(self._circumstances.clock.now_ms())
            if span is not None:
                with suppress(StoreUnavailableError):
                    await self._store.add_downtime(span)
            for actor in self._registry:
                try:
                    actor.recovered()
                except Exception:
                    log.exception("a room did not continue after an outage", room=actor.id)

    async def watch_loss(self) -> None:
        """Begin an outage once the store has been lost, also while no client uses it, until cancelled."""
        while True:
            await asyncio.sleep(WATCH_S)
            trouble = self._store.trouble()
            if trouble is not None:
                self._circumstances.downtime.begin(self._circumstances.clock.now_ms(), trouble)

    async def beat(self) -> None:
        """Send beats, until cancelled: always as one of several nodes, else only while a clock runs in any room.

        After a restart, the time since the last beat is downtime and costs no player any time.
        """
        while True:
            await asyncio.sleep(SHARED_BEAT_S if self._store.shared else BEAT_S)
            self._registry.drop_unattended()
            downtime = self._circumstances.downtime
            if downtime.on or not (self._store.shared or self._circumstances.running_clocks):
                continue
            began_ms = self._circumstances.clock.now_ms()
            try:
                await self._heartbeat.beat()
            except StoreUnavailableError as error:
                if self._store.shared:
                    downtime.begin(began_ms, str(error))
