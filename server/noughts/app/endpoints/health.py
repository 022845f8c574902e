"""``/healthz``, ``/readyz`` and ``/metrics``: for monitors and the operator."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from aiohttp import hdrs, web

from noughts import __version__
from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import is_trusted
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.runtime.metrics import CONTENT_TYPE
from noughts.app.search.pools import SearchPools
from noughts.errors import Rejection
from noughts.store.contract import StoreUnavailableError

READY_S: Final = 1.0
"""Seconds for which a good answer of the store is used again."""
STORE_ANSWER_S: Final = 2.0


class HealthEndpoints:
    """Reports on this node. Only the machine itself and trusted addresses are sent details."""

    def __init__(self, parts: NodeParts, heartbeat: Heartbeat, pools: SearchPools) -> None:
        self.serving = False
        """Whether the server has started and is not stopping."""
        self.start_fault = ""
        """Why the server cannot start to serve yet; empty if no reason is known."""
        self._config = parts.config
        self._backups = parts.backups
        self._node = parts.backend.store
        self._heartbeat = heartbeat
        self._hub = parts.hub
        self._pools = (pools.moves, pools.analyses)
        self._metrics = parts.metrics
        self._tasks = parts.tasks
        self._limitation = pools.programs.limitation()
        self._probe: asyncio.Task[str | None] | None = None
        self._good_until_s = 0.0

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("healthz", self.healthz),
            row("readyz", self.readyz),
            row("metrics", self.metrics),
        )

    async def healthz(self, request: web.Request) -> web.Response:
        if not is_trusted(request, self._config):
            return json_response({"status": "ok"})
        details = {
            "status": "ok",
            "version": __version__,
            "rooms_hosted": self._heartbeat.hosted,
            "connections": len(self._hub),
            "searches_running": sum(pool.busy for pool in self._pools),
            "searches_waiting": sum(pool.waiting for pool in self._pools),
        }
        return json_response(details)

    async def readyz(self, request: web.Request) -> web.Response:
        reason = await self._store_loss_reason() if self.serving else self.start_fault or "starting or stopping"
        body: dict[str, object] = {"status": "not ready" if reason else "ready"}
        if is_trusted(request, self._config):
            body |= {"why": reason} if reason else {}
            body |= self._guarantee()
            body |= self._backups.report()
            body |= {"engine": self._limitation} if self._limitation else {}
        return json_response(body, 503 if reason else 200)

    def _guarantee(self) -> dict[str, str]:
        """Return what the store guarantees, where it depends on how the operator set it up."""
        if not self._heartbeat.shared:
            return {}
        guarantee = self._node.guarantee()
        return {"guarantee": guarantee.text} | ({"weakness": guarantee.weakness} if guarantee.weakness else {})

    async def _store_loss_reason(self) -> str | None:
        """Return why a move cannot be stored, None if it can.

        One of several nodes answers from its last beat. The only node of a store sends none while no clock runs, so it sends
        one now. That is a write, and any client may ask for it. So all requests during a beat share its answer, and a good
        answer is used again for :data:`READY_S` seconds.
        """
        if self._heartbeat.shared:
            return self._heartbeat.loss_reason()
        lost = self._node.loss_reason()
        if lost is not None:
            return lost
        probe = self._probe
        if probe is None or (probe.done() and time.monotonic() >= self._good_until_s):
            probe = self._probe = self._tasks.run(self._ask_store())
        return await asyncio.shield(probe)

    async def _ask_store(self) -> str | None:
        try:
            async with asyncio.timeout(STORE_ANSWER_S):
                await self._heartbeat.beat()
        except (StoreUnavailableError, TimeoutError):
            return "the store cannot be written"
        self._good_until_s = time.monotonic() + READY_S
        return None

    async def metrics(self, request: web.Request) -> web.Response:
        if not is_trusted(request, self._config):
            message = "Metrics are for this machine and trusted addresses: see NOUGHTS_OPEN_METRICS."
            raise Rejection("forbidden", message)
        metrics = self._metrics
        metrics.backup_age_s = self._backups.age_s
        metrics.rooms_held = self._heartbeat.hosted
        metrics.search_queue = sum(pool.waiting for pool in self._pools)
        metrics.search_worker_restarts = sum(pool.restarts for pool in self._pools)
        metrics.store_commits = self._node.commits
        metrics.node = self._heartbeat.metrics()
        return web.Response(body=metrics.text(), headers={hdrs.CONTENT_TYPE: CONTENT_TYPE})
