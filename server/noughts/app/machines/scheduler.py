"""Wakes the values of one kind at their deadlines, on this node or, if no node holds them, on any."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Generic, NamedTuple

import structlog

from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.registry import A, Registry
from noughts.app.machines.replies import RETRY_MS
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import MachineStore

CLAIM_MS: Final = 1_000
"""How long other nodes leave a value alone that one has claimed. Once that node holds it, they do so anyway."""

log = structlog.get_logger()


class Polling(NamedTuple):
    """How a store is asked for deadlines: every ``interval_s``, for at most ``most`` of the next ``ahead_ms``.

    If it returns as many, it is asked again after ``full_s``.
    """

    interval_s: float
    ahead_ms: int
    most: int
    full_s: float


LOCAL_POLLING: Final = Polling(30.0, 60_000, 1_000, 0.01)
"""The only node of a store: what falls due soon is in memory before it does, and a store at rest is not written to."""
SHARED_POLLING: Final = Polling(0.5, 0, 64, 0.5)
"""One of several nodes: a claim keeps the others away, so a node claims only what is due and what it can wake."""


class Scheduler(Generic[A]):
    """Wakes values. No other part wakes a value without a command. ``attend`` is called with each actor that was woken."""

    def __init__(
        self,
        wakes: Deadlines,
        registry: Registry[A, Any],
        node: NodeState,
        store: MachineStore,
        tasks: Tasks,
        attend: Callable[[A], None],
        polling: Polling | None = None,
    ) -> None:
        self._wakes = wakes
        self._registry = registry
        self._node = node
        self._store = store
        self._tasks = tasks
        self._attend = attend
        self._polling = polling or (SHARED_POLLING if store.shared else LOCAL_POLLING)

    async def wake_due(self) -> None:
        """Wake every value at its deadline, until cancelled."""
        while True:
            for id in await self._wakes.reached():
                actor = self._registry.held(id)
                if actor is None:
                    self._tasks.run(self._open(id))
                else:
                    self._wake(actor)

    def _wake(self, actor: A) -> None:
        """Wake one value. A fault in it must not keep the others from being woken."""
        try:
            actor.wake()
            self._attend(actor)
        except Exception:
            log.exception("waking failed", about=actor.id)

    async def _open(self, id: str) -> A | None:
        try:
            actor = await self._registry.open(id)
        except Rejection as rejection:
            if rejection.code == "unavailable":
                self._wakes.set(id, self._node.clock.now_ms() + (rejection.retry_ms or RETRY_MS))
            return None
        except Exception:
            log.exception("waking failed", about=id)
            return None
        self._wake(actor)
        return actor

    # --- values that no node holds ------------------------------------------------------------------------------

    async def learn_clocks(self) -> None:
        """Note whether the time of any stored value runs. Downtime is measured though this node may hold none of them."""
        kinds, kind = self._node.stored_clocks, self._registry.kind
        if await self._store.time_runs():
            kinds.add(kind)
        else:
            kinds.discard(kind)

    async def poll_deadlines(self) -> None:
        """Claim values that no node holds, and wake them at their deadlines, until cancelled."""
        while True:
            full = False
            if not self._node.downtime.on:
                with suppress(StoreUnavailableError):
                    full = await self.claim_due()
                    if not full:
                        await self.release_waiting()
            await asyncio.sleep(self._polling.full_s if full else self._polling.interval_s)

    async def claim_due(self) -> bool:
        """Claim values once. Return whether there may be more. Raise :class:`StoreUnavailableError`."""
        now_ms, polling = self._node.clock.now_ms(), self._polling
        rows = await self._store.claim_due(now_ms + polling.ahead_ms, polling.most, CLAIM_MS)
        for id, at_ms in rows:
            if at_ms > now_ms and polling.ahead_ms:
                self._wakes.set_sooner(id, at_ms)
            else:
                self._tasks.run(self._wake_claimed(id))
        return len(rows) == polling.most

    async def release_waiting(self) -> None:
        """Drop the values whose time runs for longer than this node looks ahead: the next polls find them in the store."""
        if self._polling.ahead_ms:
            self._registry.drop_waiting(self._node.clock.now_ms() + self._polling.ahead_ms)
            if self._registry.kind in self._node.stored_clocks:
                await self.learn_clocks()

    async def _wake_claimed(self, id: str) -> None:
        """Wake one claimed value. Set its deadline in the store if nothing is due yet.

        A value for which this node has something to do stays due in the store. So it is claimed again after a restart, or by
        another node if this one dies.
        """
        actor = await self._open(id)
        at_ms: int | None = None
        if actor is not None and not actor.closed and actor.resting:
            at_ms = actor.wake_at_ms()
        if at_ms is not None and at_ms > self._node.clock.now_ms():
            with suppress(StoreUnavailableError):
                await self._store.postpone(id, at_ms)
