"""``GET /ws``: the checks before the handshake, the handshake, the hello, and the connection until it has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Final, TypeVar

import structlog
from aiohttp import HttpVersion11, hdrs, web

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.front_door import FrontDoor, Upgraded, accept
from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.endpoints.requests import ADDRESS, IDENTITY
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.repository import UnreadableRejection
from noughts.app.machines.wing import Door, Wing
from noughts.app.node.heartbeat import LATE_S, Heartbeat
from noughts.app.players.identity import hash_secret
from noughts.app.runtime.limits import HELLO_S, MAX_SOCKETS_OF_ADDRESS, MAX_SOCKETS_OF_PLAYER
from noughts.errors import CODES, Rejection
from noughts.protocol.close_codes import FAULT, NO_HELLO, POLICY, RESTART, TOO_MANY, UNAUTHORIZED, UNKNOWN_ROOM
from noughts.protocol.codec import decode_hello
from noughts.protocol.messages import PROTOCOL, Hello
from noughts.store.contract import DamagedError, StoreUnavailableError

T = TypeVar("T")

READ_AGAIN_S: Final = 0.1
"""Seconds until a hello is tried again after the store did not answer."""
_VERSION: Final = "13"
"""The only version of the WebSocket protocol (RFC 6455, section 4.4)."""
_NO_UPGRADE: Final = (
    f"This address speaks only WebSocket version {_VERSION} over HTTP/1.1, and the request did not ask for that. If the "
    "client did, a proxy on the way dropped the Upgrade and Connection headers: configure it to pass them on.\n"
)

log = structlog.get_logger()


class WebSocketEndpoint:
    """Serves every WebSocket of this node."""

    def __init__(self, parts: NodeParts, wings: Sequence[Wing], heartbeat: Heartbeat, page: str) -> None:
        """``page`` is the hash of the page's files."""
        self._page = page
        self._hub = parts.hub
        self._wings = {wing.kind: wing for wing in wings}
        self._kinds = tuple(self._wings)
        self._guests = parts.guests
        self._limits = parts.limits
        self._heartbeat = heartbeat
        self._clock = parts.state.clock
        self._metrics = parts.metrics
        self._tasks = parts.tasks
        self._origins = frozenset(origin.rstrip("/") for origin in parts.config.origins)

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (row("connect", self.serve),)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Accept a handshake, and serve the WebSocket in a task of its own. Raise ``forbidden`` or ``rate_limited``."""
        address: str = request[ADDRESS]
        if not asks_for_upgrade(request):
            spoken = {hdrs.UPGRADE: "websocket", hdrs.SEC_WEBSOCKET_VERSION: _VERSION}
            return web.Response(status=HTTPStatus.UPGRADE_REQUIRED, text=_NO_UPGRADE, headers=spoken)
        if not origin_allowed(request, self._origins):
            raise Rejection("forbidden", "Pages of this origin may not connect: see NOUGHTS_ORIGINS.")
        if not self._limits.off and self._hub.is_crowded(address, MAX_SOCKETS_OF_ADDRESS):
            raise Rejection("rate_limited", "There are too many connections from your network.", retry_ms=10_000)
        head, door, line = accept(request), request.protocol, request.transport
        if isinstance(head, web.Response):
            return head
        if line is None or not isinstance(door, FrontDoor):
            return web.Response(status=400)  # the client left during the handshake and never reads this
        line.write(head)
        connection = Connection(line, self._hub.flusher, address, time.monotonic(), door.meter)
        receiver = CommandReceiver(connection, self._limits, self._clock, self._metrics)
        connection.receiver = receiver
        identity = request.get(IDENTITY)
        self._tasks.run(self._live(connection, receiver, identity, door.become_websocket(connection)))
        return Upgraded()

    async def _live(
        self, connection: Connection, receiver: CommandReceiver, identity: str | None, release: Callable[[], None]
    ) -> None:
        """Serve a connection until it has ended. Then call ``release``."""
        door: Door | None = None
        self._hub.add(connection)
        self._metrics.connections += 1
        try:
            door = await self._entered(connection, receiver, identity)
            await connection.ended
        finally:
            if door is not None:
                door.leave()
            self._metrics.faults += connection.failed
            self._metrics.connections_cut += connection.state == "cut"
            self._metrics.connections -= 1
            self._hub.remove(connection)
            del connection.receiver  # it refers to the connection, and the collector runs rarely
            release()

    async def _entered(self, connection: Connection, receiver: CommandReceiver, identity: str | None) -> Door | None:
        """Let a client in. Return its door; None if the connection is closed instead."""
        try:
            if self._hub.stopping:
                connection.close(RESTART, "the server is restarting: come back")
            elif (hello := await self._hello(connection, receiver)) is not None:
                return await self._enter(connection, receiver, hello, identity)
        # It is too late for an HTTP status: the handshake is over.
        except UnreadableRejection as rejection:
            connection.close(FAULT, rejection.message)
        except (Rejection, StoreUnavailableError) as error:
            if isinstance(error, Rejection) and error.code == "forbidden":
                connection.close(POLICY, "this player is banned")
            elif isinstance(error, Rejection) and CODES[error.code].status == HTTPStatus.NOT_FOUND:
                connection.close(UNKNOWN_ROOM, error.message[0].lower() + error.message[1:].removesuffix("."))
            else:
                connection.close(RESTART, "the store cannot be read now: come back")
        except Exception:
            connection.failed = True
            log.exception("a WebSocket failed")
            connection.close(FAULT, "the server has a fault: come back")
        return None

    async def _hello(self, connection: Connection, receiver: CommandReceiver) -> Hello | None:
        """Return the hello; None if the client sent none and the connection is closed."""
        text = receiver.hello
        await asyncio.wait((text, connection.ended), timeout=HELLO_S, return_when=asyncio.FIRST_COMPLETED)
        if not text.done():
            connection.close(NO_HELLO, "no hello in time")
            return None
        hello = decode_hello(text.result(), self._kinds)
        if hello is None or hello.protocol != PROTOCOL or hello.target(self._kinds) is None:
            connection.close(POLICY, f"say hello first, with protocol {PROTOCOL} and a room, a tournament or the lobby")
            return None
        return hello

    async def _enter(
        self, connection: Connection, receiver: CommandReceiver, hello: Hello, identity: str | None
    ) -> Door | None:
        """Let a client in to what its hello names. Then commands may come. Return None if the connection is closed."""
        token, target = hello.token, hello.target(self._kinds)
        assert target is not None  # such a hello is rejected
        if token is not None:
            connection.token_hash = hash_secret(token)  # before the token is read: it may be deleted meanwhile
            person = await self._read(lambda: self._guests.person(token, identity))
            if person is None:
                connection.close(UNAUTHORIZED, "this token is unknown: get another")
                return None
            if not self._limits.off and self._hub.count_of_player(person.player) >= MAX_SOCKETS_OF_PLAYER:
                connection.close(TOO_MANY, "too many connections of one player")
                return None
            self._hub.identify(connection, person)
        kind, id = target
        door = await self._read(lambda: self._wings[kind].enter(id, connection, self._page))
        if token is not None:
            await self._renew_name(self._wings[kind], token, connection)
        receiver.begin(door)
        return door

    async def _renew_name(self, wing: Wing, token: str, connection: Connection) -> None:
        """Show a client's player under the name that it has since the token was read, if that is another one."""
        before = connection.person
        with suppress(Rejection, StoreUnavailableError):
            person = await self._guests.person(token)  # nearly always from memory
            if person is not None and person != before and wing.registry is not None:
                await wing.registry.rename({person.player: person.name})

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


def asks_for_upgrade(request: web.Request) -> bool:
    """Return whether a request asks for a WebSocket of the only version, over HTTP/1.1."""
    headers = request.headers
    return (
        "websocket" in headers.get(hdrs.UPGRADE, "").lower()
        and "upgrade" in headers.get(hdrs.CONNECTION, "").lower()
        and headers.get(hdrs.SEC_WEBSOCKET_VERSION) == _VERSION
        and request.version >= HttpVersion11
    )


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
