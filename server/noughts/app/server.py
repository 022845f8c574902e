"""The server: makes every part once, from the store upwards, wires them, and starts and stops them.

Each part is given the parts below it and has no reference to those above. A part above that a part below must wake waits on
a :class:`~noughts.app.machines.deadlines.Deadlines`.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final, cast

import structlog
from aiohttp import hdrs, web

from noughts.app.delivery.admission import Admission
from noughts.app.delivery.front_door import HEADERS, SERVER_NAME, FrontDoor
from noughts.app.delivery.hub import Hub
from noughts.app.endpoints.admin import AdminEndpoints
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.health import HealthEndpoints
from noughts.app.endpoints.middleware import CrossOrigin, RequestTurns, middleware
from noughts.app.endpoints.pages import PageEndpoints
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.endpoints.previews import PreviewEndpoints
from noughts.app.endpoints.push import PushEndpoints
from noughts.app.endpoints.puzzles import PuzzleEndpoints
from noughts.app.endpoints.reference import ReferenceEndpoints, catalogue
from noughts.app.endpoints.requests import own_base
from noughts.app.endpoints.rooms import RoomEndpoints
from noughts.app.endpoints.routes import add_routes, handlers
from noughts.app.endpoints.tournaments import TournamentEndpoints
from noughts.app.endpoints.websocket import WebSocketEndpoint
from noughts.app.lobby.parts import Lobby
from noughts.app.machines.node_parts import NodeParts
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.node.store_watch import PROBE_S, StoreWatch
from noughts.app.other_nodes import OtherNodes
from noughts.app.page.files import PageFiles, page_directory
from noughts.app.page.html import Html
from noughts.app.pictures.gallery import Gallery
from noughts.app.players.bans import Bans
from noughts.app.players.guests import Guests, RecentNames
from noughts.app.players.identity import new_id, new_token
from noughts.app.players.passes import Passes
from noughts.app.push.posts import PostOffice
from noughts.app.push.server_keys import ServerKeys
from noughts.app.push.webhook import Webhook
from noughts.app.rooms.announcements import GameAnnouncements
from noughts.app.rooms.parts import Rooms
from noughts.app.runtime.admin_secret import AdminSecret
from noughts.app.runtime.clock import ServerClock, StoreClock
from noughts.app.runtime.config import Config
from noughts.app.runtime.descriptors import connection_capacity
from noughts.app.runtime.downtime import DowntimeLog
from noughts.app.runtime.limits import MAX_BODY, Limits
from noughts.app.runtime.logs import LogWriter
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.app.search.analysis import Analyses
from noughts.app.search.pool import SearchPool, WarningLog
from noughts.app.search.programs import levels_offered, without_search
from noughts.app.tournaments.announcements import TournamentAnnouncements
from noughts.app.tournaments.parts import Tournaments
from noughts.errors import Rejection
from noughts.puzzles.collection import Puzzles
from noughts.store.backend import Backend
from noughts.store.contract import SchemaError, StoreUnavailableError

BACKLOG: Final = 1024
"""Connections that may wait until they are accepted."""
LAG_INTERVAL_S: Final = 1.0
OVERDUE_INTERVAL_S: Final = 1.0
BITES_INTERVAL_S: Final = 60.0
IN_FLIGHT_S: Final = 2.0
"""Seconds for which a server that stops waits for the answers to commands."""
ANALYST_NICENESS: Final = 12
"""The niceness of the workers that analyse games. On a busy machine moves get most of the processor time."""
ANALYST_IDLE_S: Final = 60.0
"""Seconds without an analysis after which such a worker ends. The next analysis starts one again."""
UNSEEN_INTERVAL_S: Final = 3_600.0

log = structlog.get_logger()


class Server:
    """One node."""

    def __init__(
        self,
        config: Config,
        backend: Backend,
        log_writer: LogWriter | None = None,
        programs_fault: str | None = None,
    ) -> None:
        """Make and wire the parts.

        ``programs_fault`` says why the engine's compiled programs do not run on this machine. Then the levels that need one
        are not offered, and an engine that has such a level plays at the strongest of the others.
        """
        self._config = config
        self._log_writer = log_writer
        store, presence, relay, coordination = backend
        self._store = store
        rng = random.SystemRandom()
        policy = config.policy(levels_offered(programs_run=programs_fault is None))
        if programs_fault is not None:
            log.warning("the engine plays without a search", variants=without_search(), reason=programs_fault)

        self._clock = clock = StoreClock() if store.shared else ServerClock()
        self._metrics = metrics = Metrics()
        self._tasks = tasks = Tasks()
        self._admission = Admission(connection_capacity(), config.trusted, metrics, unlimited=not config.limits)
        self._limits = limits = Limits(coordination, off=not config.limits)
        warnings = WarningLog()
        self._pool = SearchPool(config.workers, warnings=warnings)
        self._analysts = SearchPool(config.workers, niceness=ANALYST_NICENESS, idle_s=ANALYST_IDLE_S, warnings=warnings)
        self._hub = hub = Hub()
        self._downtime = DowntimeLog(shared=store.shared)
        node = NodeState(clock, self._downtime)
        names = RecentNames()
        self._bans = bans = Bans(store, relay)
        guests = Guests(
            store, relay, clock, rng, names, free_names=config.free_names, days=config.guest_days, banned=bans.holds
        )
        parts = NodeParts(config, backend, node, hub, tasks, limits, metrics, guests, rng)
        self._post_office = post_office = PostOffice(tasks, rng)
        push_keys = ServerKeys(store)
        announcements, cup_announcements = None, None
        if config.webhook:
            private, queue = post_office.posters[True], post_office.queue
            webhook = Webhook(
                config.webhook, config.webhook_secret, private, queue, clock.now_ms, new_id, metrics.webhook
            )
            announcements = GameAnnouncements(webhook, own_base(config))
            cup_announcements = TournamentAnnouncements(webhook, own_base(config))
        self.rooms = rooms = Rooms(parts, policy, names, self._pool, push_keys, post_office, announcements)
        self.tournaments = tournaments = Tournaments(parts, rooms, cup_announcements)
        registry = rooms.registry
        self._heartbeat = heartbeat = Heartbeat(store, node, presence, registry, hub, config.shown_name)
        lobby = Lobby(parts, rooms, names, heartbeat)
        self._wings = wings = (rooms.wing(), tournaments.wing(), lobby.wing())
        self._roll_call = roll_call = RollCall(config.shown_name, hub, relay, heartbeat, limits.bites)
        registries = [wing.registry for wing in wings if wing.registry is not None]
        self._store_watch = StoreWatch(store, registries, node, heartbeat, hub, tasks)
        self._other_nodes = OtherNodes(wings, rooms.renaming, guests, bans, hub, relay, tasks, roll_call)

        shown_lobby = lobby.feed if config.lobby else None
        self.admin_secret = AdminSecret(config.data, new_token(), shared=store.shared)
        self._accounts = accounts = PlayerEndpoints(config, guests, rooms.renaming, tournaments.renaming, hub, limits)
        access = AdminAccess(config, self.admin_secret, Passes(store, clock), limits)
        self.admin = AdminEndpoints(
            config, access, store, presence, registry, heartbeat, bans, hub, tournaments, accounts, roll_call
        )
        self._health = HealthEndpoints(
            config, store, registry, heartbeat, hub, (self._pool, self._analysts), metrics, tasks, programs_fault
        )
        puzzles = Puzzles(lambda problem: log.warning("the puzzles of a variant are off", reason=problem))
        files = PageFiles(page_directory())
        variants = catalogue(config, policy.levels)
        html = Html(files, config.base_path, variants)
        self._pages = PageEndpoints(config, files, html, registry, tournaments.registry, puzzles)
        self._previews = PreviewEndpoints(registry, puzzles, Gallery(tasks), limits)
        self._handlers = handlers(
            accounts,
            PushEndpoints(config, store, guests, limits, push_keys, clock),
            RoomEndpoints(
                config, policy, registry, rooms.factory, rooms.values, store, shown_lobby,
                lobby.matchmaking if config.lobby else None, guests, limits, tournaments.records,
            ),
            ReferenceEndpoints(config, variants, guests, limits, Analyses(self._analysts)),
            PuzzleEndpoints(clock, puzzles),
            TournamentEndpoints(
                config, tournaments.registry, tournaments.finder, tournaments.records, guests, limits
            ),
            self._health,
            self._pages,
            WebSocketEndpoint(
hub, wings, guests, limits, heartbeat, clock, metrics, tasks, config.origins
            ),
        )  # fmt: skip
        turns = RequestTurns() if config.limits else None
        self._middleware = middleware(config, limits, metrics, bans, self._pages.missing, turns)
        self._cross_origin = CrossOrigin(config.origins, config.base_path)

    def application(self) -> web.Application:
        """Return the aiohttp application. Its start and its end start and stop every part."""
        middlewares: list[Any] = [self._middleware, self._cross_origin.middleware]
        app = web.Application(client_max_size=MAX_BODY, middlewares=middlewares)
        routes = app
        if self._config.base_path:
            routes = web.Application()
        add_routes(routes.router, self._handlers)
        self.admin.add_to(routes.router)
        self._pages.add_to(routes.router)
        self._previews.add_to(routes.router)
        if routes is not app:
            app.router.add_get(self._config.base_path, _redirect_to_base)
            app.add_subapp(self._config.base_path, routes)
        app.cleanup_ctx.append(self._running)
        app.on_shutdown.append(self._shut_down)
        app.on_response_prepare.append(_add_headers)
        app.on_response_prepare.append(self._cross_origin.add_headers)
        return app

    async def listen(self, runner: web.AppRunner, host: str, port: int) -> asyncio.Server:
        """Listen at a port. Each connection comes through a front door. Raise :class:`OSError`."""
        door = partial(FrontDoor, cast(web.Server, runner.server), self._admission, metered=self._config.limits)
        return await asyncio.get_running_loop().create_server(door, host, port, backlog=BACKLOG)

    async def _running(self, app: web.Application) -> AsyncIterator[None]:
        try:
            await self._begin()
        except StoreUnavailableError as error:
            if not self._store.shared:
                raise
            log.error("the store cannot be reached: this node waits for it", reason=str(error))
            self._health.start_fault = str(error)
            self._downtime.begin(self._clock.now_ms())
            self._tasks.run(self._begin_later())
        try:
            self._tasks.run(self._start_pool())
            self._tasks.keep_running(self._watch_lag)
            self._tasks.keep_running(self._log_bites)
            self._tasks.keep_running(self._drop_overdue_connections)
            self._tasks.keep_running(self._hub.watch_silence)
            yield
        finally:
            self._health.serving = False
            await self._tasks.stop(0.0)
            await self._post_office.close()
            await self._pool.stop()
            await self._analysts.stop()
            await self._store.close()

    async def _begin(self) -> None:
        """Open the store and begin to serve. Raise :class:`StoreUnavailableError` or :class:`SchemaError`."""
        await self._store.open()
        await self._bans.read()
        await self._heartbeat.beat()
        self._downtime.discard()
        for wing in self._wings:
            await wing.begin()
        store_watch = self._store_watch
        for work in (
            *[work for wing in self._wings for work in wing.work],
            store_watch.probe,
            store_watch.send_beats,
            store_watch.tick,
            self._other_nodes.hear,
            self._delete_unseen_guests,
        ):
            self._tasks.keep_running(work)
        self._health.serving, self._health.start_fault = True, ""

    async def _begin_later(self) -> None:
        """Begin to serve once the store can be reached."""
        while not self._health.serving:
            await asyncio.sleep(PROBE_S)
            try:
                await self._begin()
            except (StoreUnavailableError, SchemaError) as error:
                self._health.start_fault = str(error)
                if isinstance(error, SchemaError):
                    log.error("this node cannot use the store", reason=str(error))
                    return

    async def _start_pool(self) -> None:
        """Start the search workers. The server accepts requests meanwhile."""
        try:
            await self._analysts.start()
            await self._pool.start()
        except Exception:
            self._metrics.faults += 1
            log.exception("the search pool did not start")

    def loss_reason(self) -> str | None:
        """Return why this server does not serve yet: its store cannot be used. Return None while it serves."""
        return self._health.start_fault or (self._heartbeat if self._heartbeat.shared else self._store).loss_reason()

    def drain(self) -> None:
        """Report at ``/readyz`` from now on that the server is stopping. It serves on."""
        self._health.serving = False

    async def _shut_down(self, app: web.Application) -> None:
        self.drain()
        self._hub.stopping = True
        registries = [wing.registry for wing in self._wings if wing.registry is not None]
        for registry in registries:
            await registry.settled(IN_FLIGHT_S)
        for registry in registries:
            registry.stop()
        await self._hub.stop()

    async def _watch_lag(self) -> None:
        """Measure how late the event loop runs a timer, which shows when something blocks it. Count dropped log lines."""
        while True:
            before_s = time.monotonic()
            await asyncio.sleep(LAG_INTERVAL_S)
            self._metrics.loop_lag_s = max(0.0, time.monotonic() - before_s - LAG_INTERVAL_S)
            if self._log_writer is not None:
                self._metrics.log_lines_dropped = self._log_writer.dropped

    async def _log_bites(self) -> None:
        """Log once a minute how often each limit has rejected something, and what most of it came from."""
        while True:
            await asyncio.sleep(BITES_INTERVAL_S)
            bites = self._limits.bites.end_minute()
            if bites:
                log.info("limits were reached", **{bite.limit: (bite.times, bite.holder) for bite in bites})

    async def _drop_overdue_connections(self) -> None:
        while True:
            await asyncio.sleep(OVERDUE_INTERVAL_S)
            self._admission.drop_overdue(asyncio.get_running_loop().time())

    async def _delete_unseen_guests(self) -> None:
        while True:
            with contextlib.suppress(StoreUnavailableError, Rejection):
                count = await self._accounts.delete_unseen()
                if count:
                    log.info("unseen guests deleted", players=count)
            await asyncio.sleep(UNSEEN_INTERVAL_S)


async def _redirect_to_base(request: web.Request) -> web.Response:
    raise web.HTTPPermanentRedirect(f"{request.path}/")


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers[hdrs.SERVER] = SERVER_NAME
    if hdrs.UPGRADE in request.headers:
        # aiohttp reads no further request on a connection that asked for an upgrade.
        response.headers[hdrs.CONNECTION] = "close"
        response.force_close()
