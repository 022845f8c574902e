"""``GET /ws``: the checks before the handshake, the hello, and the connection until it closes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from aiohttp import HttpVersion11, hdrs, web

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.front_door import front_door
from noughts.app.delivery.hub import Hub
from noughts.app.delivery.upgrade import Upgraded, accept, upgrade
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.lobby.feed import LobbyFeed
from noughts.app.machines.repository import UnreadableRejection
from noughts.app.node.heartbeat import LATE_S, Heartbeat
from noughts.app.players.guests import Guests
from noughts.app.rooms.actor import RoomActor, RoomRegistry
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import HELLO_S, MAX_SOCKETS_OF_ADDRESS, MAX_SOCKETS_OF_PLAYER, Limits
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.protocol.close_codes import FAULT, NO_HELLO, POLICY, RESTART, TOO_MANY, UNAUTHORIZED, UNKNOWN_ROOM
from noughts.protocol.codec import decode_hello, encode
from noughts.protocol.messages import PROTOCOL, REACTIONS, Hello, PlayerView, Welcome
from noughts.store.contract import DamagedError, StoreUnavailableError

T = TypeVar("T")

READ_AGAIN_S: Final = 0.1
"""Seconds until a hello is tried again after the store did not answer."""
_NO_UPGRADE: Final = (
    "This address speaks WebSocket only, and the request did not ask for an upgrade. If the client did ask, a proxy on the "
    "way dropped the Upgrade and Connection headers: configure it to pass them on.\n"
)
_VERSION: Final = "13"
"""The only version of the WebSocket protocol (RFC 6455, section 4.4)."""
_OTHER_VERSION: Final = f"This address speaks WebSocket version {_VERSION}, over HTTP/1.1.\n"

log = structlog.get_logger()


class WebSocketEndpoint:
    """Serves every WebSocket of this node."""

    def __init__(
        self,
        hub: Hub,
        registry: RoomRegistry,
        lobby: LobbyFeed | None,
        guests: Guests,
        limits: Limits,
        heartbeat: Heartbeat,
        clock: ServerClock,
        metrics: Metrics,
        tasks: Tasks,
        origins: tuple[str, ...],
    ) -> None:
        self._hub = hub
        self._registry = registry
        self._lobby = lobby
        self._guests = guests
        self._limits = limits
        self._heartbeat = heartbeat
        self._clock = clock
        self._metrics = metrics
        self._tasks = tasks
        self._origins = frozenset(origin.rstrip("/") for origin in origins)

    async def serve(self, request: web.Request, address: str) -> web.StreamResponse:
        """Serve one WebSocket from the handshake until it closes. Raise ``forbidden`` or ``rate_limited``."""
        headers = request.headers
        upgrade_header, connection_header = headers.get(hdrs.UPGRADE, ""), headers.get(hdrs.CONNECTION, "")
        if "websocket" not in upgrade_header.lower() or "upgrade" not in connection_header.lower():
            return web.Response(status=426, text=_NO_UPGRADE, headers={hdrs.UPGRADE: "websocket"})
        if request.version < HttpVersion11 or headers.get(hdrs.SEC_WEBSOCKET_VERSION) != _VERSION:
            spoken = {hdrs.UPGRADE: "websocket", hdrs.SEC_WEBSOCKET_VERSION: _VERSION}
            return web.Response(status=426, text=_OTHER_VERSION, headers=spoken)
        if not origin_allowed(request, self._origins):
            raise Rejection("forbidden", "Pages of this origin may not connect: see NOUGHTS_ORIGINS.")
        if not self._limits.off and self._hub.count_of_network(address) >= MAX_SOCKETS_OF_ADDRESS:
            raise Rejection("rate_limited", "There are too many connections from your network.", retry_ms=10_000)
        head, door = accept(request), front_door(request)
        if isinstance(head, web.Response):
            return head
        if request.transport is None or door is None:
            return web.Response(status=400)  # the client left during the handshake and never reads this
        request.transport.write(head)
        connection = Connection(request.transport, self._hub.flusher, address, time.monotonic(), door.meter)
        hello = HelloReceiver(connection, self._receiver(connection, None))
        connection.receiver = hello
        upgrade(request, door, connection)
        await self._live(connection, hello)
        return Upgraded()

    def _receiver(self, connection: Connection, actor: RoomActor | None) -> CommandReceiver:
        return CommandReceiver(connection, actor, self._limits, self._clock, self._metrics, self._tasks)

    async def _live(self, connection: Connection, hello: HelloReceiver) -> None:
        """Serve a connection until it has ended."""
        self._hub.add(connection)
        self._metrics.connections += 1
        try:
            if self._hub.stopping:
                connection.close(RESTART, "the server is restarting: come back")
            else:
                await self._welcome_in(connection, hello)
        # It is too late for an HTTP status: the handshake is over.
        except UnreadableRejection as rejection:
            connection.close(FAULT, rejection.message)
        except (Rejection, StoreUnavailableError) as error:
            if isinstance(error, Rejection) and error.code == "unknown_room":
                connection.close(UNKNOWN_ROOM, "this room does not exist or has expired")
            else:
                connection.close(RESTART, "the store cannot be read now: come back")
        except Exception:
            connection.failed = True
            log.exception("a WebSocket failed")
            connection.close(FAULT, "the server has a fault: come back")
        finally:
            self._metrics.faults += connection.failed
            self._metrics.connections_cut += connection.state == "cut"
            if connection.state != "open":
                await connection.ended
            self._hub.remove(connection)
            self._metrics.connections -= 1
            del connection.receiver  # it refers to the connection, and the collector runs rarely

    async def _welcome_in(self, connection: Connection, receiver: HelloReceiver) -> None:
        """Wait for the hello, and let the client into its room or the lobby."""
        hello = await self._hello(connection, receiver)
        if hello is None:
            return
        if hello.token is not None:
            token = hello.token
            person = await self._read(lambda: self._guests.person(token))
            if person is None:
                connection.close(UNAUTHORIZED, "this token is unknown: get another")
                return
            if not self._limits.off and self._hub.count_of_player(person.player) >= MAX_SOCKETS_OF_PLAYER:
                connection.close(TOO_MANY, "too many connections of one player")
                return
            self._hub.identify(connection, person)
        if hello.lobby:
            await self._in_lobby(connection)
        else:
            await self._in_room(connection, hello.room or "")

    async def _hello(self, connection: Connection, receiver: HelloReceiver) -> Hello | None:
        """Return the hello; None if the client sent none and the connection is closed."""
        await asyncio.wait((receiver.text, connection.ended), timeout=HELLO_S, return_when=asyncio.FIRST_COMPLETED)
        if not receiver.text.done():
            connection.close(NO_HELLO, "no hello in time")
            return None
        hello = decode_hello(receiver.text.result())
        if hello is None or hello.protocol != PROTOCOL or (hello.room is None) != hello.lobby:
            connection.close(POLICY, f"say hello first, with protocol {PROTOCOL} and a room or the lobby")
            return None
        return hello

    async def _read(self, read: Callable[[], Awaitable[T]]) -> T:
        """Return what is read. While ``/readyz`` says ready, wait for a store that does not answer, and read again."""
        end_s = time.monotonic() + LATE_S
        while True:
            try:
                return await read()
            except (Rejection, StoreUnavailableError) as error:
                if not _may_pass(error):
                    raise
                if isinstance(error, StoreUnavailableError):
                    self._heartbeat.note_outage()
                if not self._heartbeat.outage_may_pass or time.monotonic() > end_s:
                    raise
            await asyncio.sleep(READ_AGAIN_S)

    def _welcome(self, connection: Connection) -> None:
        person = connection.person
        player = PlayerView(person.player, person.name, person.bot) if person is not None else None
        connection.send(encode(Welcome(PROTOCOL, player, self._clock.now_ms(), REACTIONS)))

    async def _in_lobby(self, connection: Connection) -> None:
        lobby = self._lobby
        if lobby is None:
            connection.close(UNKNOWN_ROOM, "this server has no lobby")
            return
        self._welcome(connection)
        try:
            await self._read(lambda: lobby.join(connection))
            await self._listen(connection, None)
        finally:
            lobby.leave(connection)

    async def _in_room(self, connection: Connection, room_id: str) -> None:
        def opened() -> Awaitable[RoomActor]:
            return self._registry.open(room_id)

        actor = await self._read(opened)
        self._welcome(connection)
        while not self._registry.join(actor, connection):  # its last connection left in this turn of the event loop
            actor = await self._read(opened)
        try:
            await self._listen(connection, actor)
        finally:
            self._registry.leave(actor, connection)

    async def _listen(self, connection: Connection, actor: RoomActor | None) -> None:
        """Pass every frame to a receiver of commands until the connection has ended."""
        connection.receiver = self._receiver(connection, actor)
        connection.resume()
        await connection.ended


class HelloReceiver:
    """Receives the first text of a client. What follows waits until the client is in its room or the lobby."""

    def __init__(self, connection: Connection, control: CommandReceiver) -> None:
        self.text = asyncio.get_running_loop().create_future()
        self._connection = connection
        self.ping_received = control.ping_received
        self.pong_received = control.pong_received

    def text_received(self, text: str) -> None:
        """Keep the hello, and read no further."""
        self._connection.pause()
        self.text.set_result(text)


def origin_allowed(request: web.Request, origins: frozenset[str]) -> bool:
    """Return whether a page may connect: its Origin is absent, is listed, or has the host of the request's Host header."""
    values = request.headers.getall(hdrs.ORIGIN, [])
    if len(values) > 1:
        return False
    if not values or values[0] in origins:
        return True
    scheme, separator, host = values[0].partition("://")
    return scheme in ("http", "https") and bool(separator) and bool(host) and host == request.headers.get(hdrs.HOST)


def _may_pass(error: Rejection | StoreUnavailableError) -> bool:
    """Return whether a later read may succeed, because the store as a whole did not answer."""
    if isinstance(error, Rejection):
        return error.code == "unavailable" and not isinstance(error, UnreadableRejection)
    return not isinstance(error, DamagedError)
