"""The server: makes every part once, from the store upwards, wires them, and starts and stops them.

Each part is given the parts below it and has no reference to those above. A part above that a part below must wake waits on
a :class:`~noughts.app.machines.deadlines.Deadlines`, or on an :class:`~noughts.app.machines.outbox.Outbox`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from functools import partial
from typing import Final, cast

import structlog
from aiohttp import web

from noughts.app.delivery.admission import Admission
from noughts.app.delivery.front_door import FrontDoor
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.parts import Endpoints
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.lobby.parts import Lobby
from noughts.app.machines.node_parts import NodeParts, node_parts
from noughts.app.machines.wing import Wing
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.node.store_watch import PROBE_S, StoreWatch
from noughts.app.node.upkeep import Upkeep
from noughts.app.other_nodes import OtherNodes
from noughts.app.players.identity import new_token
from noughts.app.players.passes import Passes
from noughts.app.rooms.parts import Rooms
from noughts.app.runtime.admin_secret import AdminSecret
from noughts.app.runtime.clock import ServerClock, StoreClock
from noughts.app.runtime.config import Config
from noughts.app.runtime.descriptors import connection_capacity
from noughts.app.runtime.logs import LogWriter
from noughts.app.search.pools import search_pools
from noughts.app.search.programs import Programs
from noughts.app.tournaments.parts import Tournaments
from noughts.store.backend import Backend
from noughts.store.contract import SchemaError, StoreUnavailableError

BACKLOG: Final = 1024
"""Connections that may wait until they are accepted."""
IN_FLIGHT_S: Final = 2.0
"""Seconds for which a server that stops waits for the answers to commands."""

log = structlog.get_logger()


def wings_of(
    parts: NodeParts, rooms: Rooms, tournaments: Tournaments, lobby: Lobby, access: AdminAccess
) -> tuple[Wing, ...]:
    """Return the list of all wings. Another kind of machine is one more entry, made from the parts of the node."""
    rooms.serve(access, tournaments.records)
    tournaments.serve(access)
    return rooms, tournaments, lobby


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
        store, shared = backend.store, backend.store.shared
        rng = random.SystemRandom()
        programs = Programs(programs_fault)
        policy = config.policy(programs.levels())
        if programs.limitation():
            log.warning(programs.limitation())
        self._parts = parts = node_parts(config, backend, StoreClock() if shared else ServerClock(), rng)
        self._admission = Admission(connection_capacity(), config.trusted, parts.metrics, unlimited=not config.limits)
        self._upkeep = Upkeep(parts.metrics, parts.limits.bites, self._admission, log_writer)
        self._pools = pools = search_pools(config.workers, programs)
        self.rooms = rooms = Rooms(parts, policy, pools.moves)
        self.tournaments = tournaments = Tournaments(parts, rooms)
        self._heartbeat = heartbeat = Heartbeat(
            store, parts.state, backend.presence, rooms.registry, parts.hub, config.shown_name
        )
        lobby = Lobby(parts, rooms, heartbeat)
        self.admin_secret = AdminSecret(config.data, new_token(), shared=shared)
        access = AdminAccess(config, self.admin_secret, Passes(store, parts.state.clock), parts.limits)
        self._wings = wings = wings_of(parts, rooms, tournaments, lobby, access)
        self._registries = registries = [wing.registry for wing in wings if wing.registry is not None]
        self._store_watch = StoreWatch(parts, registries, heartbeat)
        roll_call = RollCall(config.shown_name, parts.hub, parts.names, backend.relay, heartbeat, parts.limits.bites)
        self._other_nodes = OtherNodes(parts, wings, roll_call)
        self._accounts = accounts = PlayerEndpoints(parts, wings)
        self._endpoints = Endpoints(parts, wings, access, accounts, policy, pools, heartbeat, roll_call)
        self._health = self._endpoints.health

    def application(self) -> web.Application:
        """Return the aiohttp application. Its start and its end start and stop every part."""
        app = self._endpoints.application()
        app.cleanup_ctx.append(self._running)
        app.on_shutdown.append(self._shut_down)
        return app

    async def listen(self, runner: web.AppRunner, host: str, port: int) -> asyncio.Server:
        """Listen at a port. Each connection comes through a front door. Raise :class:`OSError`."""
        door = partial(FrontDoor, cast(web.Server, runner.server), self._admission, metered=self._config.limits)
        return await asyncio.get_running_loop().create_server(door, host, port, backlog=BACKLOG)

    async def _running(self, app: web.Application) -> AsyncIterator[None]:
        store, state, tasks = self._parts.backend.store, self._parts.state, self._parts.tasks
        try:
            await self._begin()
        except StoreUnavailableError as error:
            if not store.shared:
                raise
            log.error("the store cannot be reached: this node waits for it", reason=str(error))
            self._health.start_fault = str(error)
            state.downtime.begin(state.clock.now_ms())
            tasks.run(self._begin_later())
        try:
            tasks.run(self._start_pools())
            for work in (
                self._upkeep.watch_lag,
                self._upkeep.log_bites,
                self._upkeep.drop_overdue_connections,
                self._parts.hub.watch_silence,
            ):
                tasks.keep_running(work)
            yield
        finally:
            self._health.serving = False
            await tasks.stop(0.0)
            await self._parts.post_office.close()
            await self._pools.stop()
            await store.close()

    async def _begin(self) -> None:
        """Open the store and begin to serve. Raise :class:`StoreUnavailableError` or :class:`SchemaError`."""
        await self._parts.backend.store.open()
        await self._parts.bans.read()
        await self._heartbeat.beat()
        self._parts.state.downtime.discard()
        for wing in self._wings:
            await wing.begin()
        store_watch = self._store_watch
        for work in (
            *[work for wing in self._wings for work in wing.work],
            store_watch.probe,
            store_watch.send_beats,
            store_watch.tick,
            self._other_nodes.hear,
            self._accounts.delete_unseen_guests,
            self._parts.backups.keep_making,
        ):
            self._parts.tasks.keep_running(work)
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

    async def _start_pools(self) -> None:
        """Start the search workers. The server accepts requests meanwhile."""
        try:
            await self._pools.start()
        except Exception:
            self._parts.metrics.faults += 1
            log.exception("the search pool did not start")

    def loss_reason(self) -> str | None:
        """Return why this server does not serve yet: its store cannot be used. Return None while it serves."""
        return (
            self._health.start_fault
            or (self._heartbeat if self._heartbeat.shared else self._parts.backend.store).loss_reason()
        )

    def drain(self) -> None:
        """Report at ``/readyz`` from now on that the server is stopping. It serves on."""
        self._health.serving = False

    async def _shut_down(self, app: web.Application) -> None:
        self.drain()
        self._parts.hub.stopping = True
        for registry in self._registries:
            await registry.settled(IN_FLIGHT_S)
        for registry in self._registries:
            registry.stop()
        await self._parts.hub.stop()
