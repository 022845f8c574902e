"""The server: every part made once and wired, the routes that are no API, start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import Final

import structlog
from aiohttp import hdrs, web

from noughts import __version__
from noughts.app.background import Background
from noughts.app.clock import ServerClock
from noughts.app.config import Config
from noughts.app.guests import Guests
from noughts.app.hosts import Hosts
from noughts.app.limits import Limits
from noughts.app.lobby import LobbyHost
from noughts.app.operator import Operator
from noughts.app.pages import Pages, page_directory
from noughts.app.requests import MAX_BODY, address_of, is_operator, json_answer, middleware
from noughts.app.routes import Routes
from noughts.app.search.analysis import Analyses
from noughts.app.search.pool import SearchPool
from noughts.app.sockets import Sockets
from noughts.app.telemetry import CONTENT_TYPE, Metrics
from noughts.errors import Rejection
from noughts.store.contract import Store, StoreUnavailableError

LAG_EVERY_S: Final = 1.0
READY_S: Final = 1.0
FORGET_EVERY_S: Final = 6 * 3_600.0

log = structlog.get_logger()


class Server:
    """One process that serves everything."""

    def __init__(self, config: Config, store: Store) -> None:
        self.config = config
        self.store = store
        self.metrics = Metrics()
        self.clock = ServerClock()
        self.limits = Limits(off=not config.limits)
        self.pool = SearchPool(config.workers)
        self.background = Background()
        self.guests = Guests(store, self.clock, free_names=config.free_names)
        self.lobby = LobbyHost(store, self.clock, self.background) if config.lobby else None
        self.hosts = Hosts(
            store,
            self.clock,
            config.house(),
            self.pool,
            self.metrics,
            config.think_ms / 1000,
            self._listing_changed,
            unlimited=not config.limits,
        )
        if self.lobby is not None:
            self.lobby.hosts = self.hosts
        self.sockets = Sockets(self.hosts, self.lobby, self.guests, self.limits, self.metrics, config.origins)
        self.operator = Operator(config, store, self.hosts, self.sockets)
        self.pages = Pages(page_directory())
        self._ready = False
        self._asked_store: asyncio.Task[str | None] | None = None
        self._stored_until_s = 0.0

    def _listing_changed(self) -> None:
        if self.lobby is not None:
            self.lobby.changed()

    def application(self) -> web.Application:
        """The aiohttp application; it starts and stops everything with itself."""
        app = web.Application(
            client_max_size=MAX_BODY,
            middlewares=[middleware(self.config, self.limits, self.metrics, self.operator.banned)],  # type: ignore[list-item]
        )
        analyses = Analyses(self.pool)
        routes = Routes(
            self.config, self.store, self.hosts, self.lobby, self.guests, self.limits, analyses, self.sockets
        )
        app.router.add_get("/ws", self._websocket, allow_head=False)
        routes.add_to(app)
        self.operator.add_to(app)
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._metrics)
        app.router.add_get("/", self._start_page)
        app.router.add_get("/r/{id}", self._room_page)
        app.router.add_get("/static/{path:.+}", self._static)
        app.router.add_get("/favicon.ico", self._icon)
        app.router.add_get("/robots.txt", self._robots)
        app.cleanup_ctx.append(self._running)
        app.on_shutdown.append(self._shut_down)
        app.on_response_prepare.append(_without_versions)
        return app

    # --- start and stop -----------------------------------------------------------------------------------------

    async def _running(self, app: web.Application) -> AsyncIterator[None]:
        await self.store.open()
        try:
            await self.operator.start()
            await self.hosts.start()
            # The pool starts beside serving: the page does not wait for the engine.
            for task in (self.pool.start(), self._watch_lag(), self._forget_guests()):
                self.background.run(task)
            self._ready = True
            yield
        finally:
            self._ready = False
            await self.hosts.stop()
            await self.pool.stop()
            await self.background.stop(0.0)
            await self.store.close()

    async def _shut_down(self, app: web.Application) -> None:
        self._ready = False
        await self.sockets.stop()

    async def _watch_lag(self) -> None:
        """How late the loop is; the cheapest sign that something holds it up."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(LAG_EVERY_S)
            self.metrics.loop_lag.set(max(0.0, time.monotonic() - before - LAG_EVERY_S))

    async def _forget_guests(self) -> None:
        while True:
            with contextlib.suppress(StoreUnavailableError):
                gone = await self.guests.forget_unseen(self.config.guest_days)
                if gone:
                    log.info("guests forgotten", players=gone)
            await asyncio.sleep(FORGET_EVERY_S)

    # --- what is no API -----------------------------------------------------------------------------------------

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        return await self.sockets.handle(request, address_of(request))

    async def _healthz(self, request: web.Request) -> web.Response:
        if not is_operator(request, self.config):
            return json_answer({"status": "ok"})
        details = {
            "status": "ok",
            "version": __version__,
            "rooms_hosted": len(self.hosts),
            "connections": len(self.sockets),
            "searches_running": self.pool.busy,
            "searches_waiting": self.pool.waiting,
        }
        return json_answer(details)

    async def _readyz(self, request: web.Request) -> web.Response:
        why = None
        if not self._ready:
            why = "starting or stopping"
        else:
            why = await self._store_trouble()
        if why is None:
            return json_answer({"status": "ready"})
        answer = {"status": "not ready"} | ({"why": why} if is_operator(request, self.config) else {})
        return json_answer(answer, 503)

    async def _store_trouble(self) -> str | None:
        """Why a move cannot be stored, if so. To learn that is a write, and anybody may ask: so one answer serves all who
        ask while it is on its way, and when it is good, who ask within a second."""
        asked = self._asked_store
        if asked is None or (asked.done() and time.monotonic() >= self._stored_until_s):
            asked = self._asked_store = self.background.run(self._ask_store())
        return await asyncio.shield(asked)

    async def _ask_store(self) -> str | None:
        try:
            async with asyncio.timeout(2.0):
                await self.store.ping()
        except (StoreUnavailableError, TimeoutError):
            return "the store cannot be written"
        self._stored_until_s = time.monotonic() + READY_S
        return None

    async def _metrics(self, request: web.Request) -> web.Response:
        if not is_operator(request, self.config):
            raise Rejection(
                "forbidden", "Metrics are for this machine and trusted addresses: see NOUGHTS_OPEN_METRICS."
            )
        self.metrics.hosted.set(len(self.hosts))
        self.metrics.search_queue.set(self.pool.waiting)
        self.metrics.pool_restarts.set(self.pool.restarts)
        self.metrics.batches.set(getattr(self.store, "batches", 0))
        return web.Response(body=self.metrics.text(), headers={hdrs.CONTENT_TYPE: CONTENT_TYPE})

    async def _start_page(self, request: web.Request) -> web.Response:
        return self.pages.answer(request, "index.html")

    async def _room_page(self, request: web.Request) -> web.Response:
        try:
            await self.hosts.find(request.match_info["id"])
        except Rejection as refused:
            if refused.code == "unknown_room":
                return self.pages.answer(request, "index.html", 404)
        return self.pages.answer(request, "index.html")

    async def _static(self, request: web.Request) -> web.Response:
        return self.pages.answer(request, request.match_info["path"])

    async def _icon(self, request: web.Request) -> web.Response:
        return self.pages.answer(request, "icon.svg")

    async def _robots(self, request: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow: /r/\nDisallow: /api/\n")


async def _without_versions(request: web.Request, response: web.StreamResponse) -> None:
    response.headers[hdrs.SERVER] = "Noughts"
