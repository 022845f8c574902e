"""Wakes rooms at their deadlines, and lets the engine move."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from noughts.app.machines.deadlines import Deadlines
from noughts.app.node.node_state import NodeState
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.engine_player import EnginePlayer
from noughts.app.rooms.registry import RoomRegistry
from noughts.app.rooms.replies import RETRY_MS
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.room.timers import EXPIRY_STEP_MS, wake_at_ms
from noughts.store.contract import RoomStore, StoreUnavailableError

POLL_S: Final = 0.5
"""Seconds between two checks of the deadlines of the rooms that no node holds."""
MAX_CLAIMED: Final = 64
"""The most rooms that a node wakes at a time."""
CLAIM_MS: Final = 1_000
"""How long other nodes leave a room alone that one has claimed. Once that node holds it, they do so anyway."""

log = structlog.get_logger()


class Scheduler:
    """Wakes rooms at their deadlines. No other part wakes a room without a command."""

    def __init__(
        self,
        wakes: Deadlines,
        registry: RoomRegistry,
        engine: EnginePlayer,
        node: NodeState,
        store: RoomStore,
        tasks: Tasks,
    ) -> None:
        self._wakes = wakes
        self._registry = registry
        self._engine = engine
        self._node = node
        self._store = store
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

    async def _open(self, room_id: str) -> RoomActor | None:
        try:
            actor = await self._registry.open(room_id)
        except Rejection as rejection:
            if rejection.code == "unavailable":
                self._wakes.set(room_id, self._node.clock.now_ms() + (rejection.retry_ms or RETRY_MS))
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
                self._node.running_clocks.add(room_id)

    async def poll_deadlines(self) -> None:
        """Wake the rooms that are due and that no node holds, until cancelled."""
        while True:
            await asyncio.sleep(POLL_S)
            if not self._node.downtime.on:
                with suppress(StoreUnavailableError):
                    await self.wake_claimed()

    async def wake_claimed(self) -> None:
        """Claim rooms that are due and that no node holds, and wake them. Raise :class:`StoreUnavailableError`."""
        now_ms = self._node.clock.now_ms()
        for room_id in await self._store.claim_due(now_ms, MAX_CLAIMED, CLAIM_MS):
            self._tasks.run(self._wake_claimed(room_id))

    async def _wake_claimed(self, room_id: str) -> None:
        """Wake one claimed room. Set its deadline in the store if nothing is due yet."""
        actor = await self._open(room_id)
        at_ms: int | None = None
        if actor is not None and not actor.closed:
            at_ms = wake_at_ms(actor.room, actor.presence, self._node.policy)
        if at_ms is not None and at_ms > self._node.clock.now_ms():
            with suppress(StoreUnavailableError):
                await self._store.postpone(room_id, at_ms)
