"""``GET /ws``: the checks before the handshake, the hello, and the connection until it closes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog
from aiohttp import HttpVersion11, WSMsgType, hdrs, web
from aiohttp.http_websocket import WebSocketError

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.guarded_handler import FRAMES_A_TURN
from noughts.app.delivery.hub import Hub
from noughts.app.delivery.websocket import DirectWebSocket
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.lobby.feed import LobbyFeed
from noughts.app.machines.repository import UnreadableRejection
from noughts.app.node.heartbeat import LATE_S, Heartbeat
from noughts.app.players.guests import Guests
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.registry import RoomRegistry
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import MAX_SOCKETS_OF_ADDRESS, MAX_SOCKETS_OF_PLAYER, Limits
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.protocol.close_codes import FAULT, NO_HELLO, POLICY, RESTART, TOO_MANY, UNAUTHORIZED, UNKNOWN_ROOM
from noughts.protocol.codec import decode_hello, encode
from noughts.protocol.messages import PROTOCOL, REACTIONS, Hello, PlayerView, Welcome
from noughts.store.contract import DamagedError, StoreUnavailableError

T = TypeVar("T")

HELLO_S: Final = 5.0
"""Seconds that a client has for its hello."""
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
        upgrade, connection_header = headers.get(hdrs.UPGRADE, ""), headers.get(hdrs.CONNECTION, "")
        if "websocket" not in upgrade.lower() or "upgrade" not in connection_header.lower():
            return web.Response(status=426, text=_NO_UPGRADE, headers={hdrs.UPGRADE: "websocket"})
        if request.version < HttpVersion11 or headers.get(hdrs.SEC_WEBSOCKET_VERSION) != _VERSION:
            spoken = {hdrs.UPGRADE: "websocket", hdrs.SEC_WEBSOCKET_VERSION: _VERSION}
            return web.Response(status=426, text=_OTHER_VERSION, headers=spoken)
        if not origin_allowed(request, self._origins):
            raise Rejection("forbidden", "Pages of this origin may not connect: see NOUGHTS_ORIGINS.")
        if not self._limits.off and self._hub.count_of_network(address) >= MAX_SOCKETS_OF_ADDRESS:
            raise Rejection("rate_limited", "There are too many connections from your network.", retry_ms=10_000)
        ws = DirectWebSocket()
        try:
            await ws.prepare(request)
        except ConnectionError:
            return web.Response(status=400)  # the client left during the handshake and never reads this
        if request.transport is not None:
            connection = Connection(ws, request.transport, self._hub.flusher, address, time.monotonic())
            await self._live(ws, connection)
        return ws

    async def _live(self, ws: DirectWebSocket, connection: Connection) -> None:
        self._hub.add(connection)
        self._metrics.connections += 1
        try:
            if self._hub.stopping:
                await connection.close(RESTART, "the server is restarting: come back")
            else:
                await self._greet(ws, connection)
        except (Rejection, StoreUnavailableError):
            # The player or the lobby could not be read. It is too late for an HTTP status: the handshake is over.
            await connection.close(RESTART, "the store cannot be read now: come back")
        except ConnectionError:
            raise
        except Exception:
            self._metrics.faults += 1
            log.exception("a WebSocket failed")
            await connection.close(FAULT, "the server has a fault: come back")
        finally:
            ws.divert_to(None)
            self._hub.remove(connection)
            self._metrics.connections -= 1
            if connection.state == "cut":
                self._metrics.connections_cut += 1

    async def _greet(self, ws: DirectWebSocket, connection: Connection) -> None:
        hello = await self._hello(ws, connection)
        if hello is None:
            return
        if hello.token is not None:
            token = hello.token
            person = await self._read(lambda: self._guests.person(token))
            if person is None:
                await connection.close(UNAUTHORIZED, "this token is unknown: get another")
                return
            if not self._limits.off and self._hub.count_of_player(person.player) >= MAX_SOCKETS_OF_PLAYER:
                await connection.close(TOO_MANY, "too many connections of one player")
                return
            self._hub.identify(connection, person)
        if hello.lobby:
            await self._in_lobby(ws, connection)
        else:
            await self._in_room(ws, connection, hello.room or "")

    async def _hello(self, ws: DirectWebSocket, connection: Connection) -> Hello | None:
        """Return the hello; None if the client sent none and the connection is closed."""
        receiver = CommandReceiver(connection, None, self._hub, self._limits, self._clock, self._metrics, self._tasks)
        try:
            async with asyncio.timeout(HELLO_S):
                message = await ws.next_frame()
                while message.type in (WSMsgType.PING, WSMsgType.PONG):
                    if message.type is WSMsgType.PING:
                        receiver.ping_received(message.data)
                    else:
                        receiver.pong_received(message.data)
                    message = await ws.next_frame()
        except TimeoutError:
            await connection.close(NO_HELLO, "no hello in time")
            return None
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            if message.type is WSMsgType.CLOSE:
                await connection.answer_close()
            return None
        hello = decode_hello(message.data) if message.type is WSMsgType.TEXT else None
        if hello is None or hello.protocol != PROTOCOL or (hello.room is None) != hello.lobby:
            reason = f"say hello first, with protocol {PROTOCOL} and a room or the lobby"
            await connection.close(POLICY, reason)
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

    async def _in_lobby(self, ws: DirectWebSocket, connection: Connection) -> None:
        lobby = self._lobby
        if lobby is None:
            await connection.close(UNKNOWN_ROOM, "this server has no lobby")
            return
        self._welcome(connection)
        try:
            await self._read(lambda: lobby.join(connection))
            await self._listen(ws, connection, None)
        finally:
            lobby.leave(connection)

    async def _in_room(self, ws: DirectWebSocket, connection: Connection, room_id: str) -> None:
        actor = await self._opened(connection, room_id)
        if actor is None:
            return
        self._welcome(connection)
        while not self._registry.join(actor, connection):  # its last connection left in this turn of the event loop
            actor = await self._opened(connection, room_id)
            if actor is None:
                return
        try:
            await self._listen(ws, connection, actor)
        finally:
            self._registry.leave(actor, connection)

    async def _opened(self, connection: Connection, room_id: str) -> RoomActor | None:
        """Return the actor of a room; None if there is none now and the connection is closed."""
        try:
            return await self._read(lambda: self._registry.open(room_id))
        except UnreadableRejection as rejection:
            await connection.close(FAULT, rejection.message)
        except Rejection as rejection:
            if rejection.code == "unknown_room":
                await connection.close(UNKNOWN_ROOM, "this room does not exist or has expired")
            else:
                await connection.close(RESTART, "the room cannot be read now: come back")
        return None

    async def _listen(self, ws: DirectWebSocket, connection: Connection, actor: RoomActor | None) -> None:
        """Pass every frame to a receiver until the client or the server closes the connection."""
        receiver = CommandReceiver(connection, actor, self._hub, self._limits, self._clock, self._metrics, self._tasks)
        early = 0
        while True:
            if not ws.frame_waits:
                ws.divert_to(receiver)
            elif (early := early + 1) % FRAMES_A_TURN == 0:
                await asyncio.sleep(0)  # a client may have sent thousands of frames behind its hello
            message = await ws.next_frame()
            kind = message.type
            if kind is WSMsgType.TEXT:  # it arrived before the receiver took over
                receiver.text_received(message.data)
            elif kind is WSMsgType.PING:
                receiver.ping_received(message.data)
            elif kind is WSMsgType.PONG:
                receiver.pong_received(message.data)
            elif kind is WSMsgType.BINARY:
                await connection.close(POLICY, "text frames only")
                return
            else:
                if kind is WSMsgType.CLOSE:
                    await connection.answer_close()
                elif isinstance(message.data, WebSocketError) and message.data.code == FAULT:
                    self._metrics.faults += 1
                return


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
