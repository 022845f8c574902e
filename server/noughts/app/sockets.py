"""``GET /ws``: who may connect, the hello, and every message after it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Final

import structlog
from aiohttp import WSCloseCode, WSMessage, WSMsgType, hdrs, web

from noughts.app.connection import Connection
from noughts.app.guests import Guests
from noughts.app.host import Host
from noughts.app.hosts import Hosts
from noughts.app.limits import (
    BAD_MESSAGES,
    CHAT,
    MAX_SOCKETS_OF_ADDRESS,
    MAX_SOCKETS_OF_PLAYER,
    REACTIONS,
    Limits,
)
from noughts.app.lobby import LobbyHost
from noughts.app.requests import network, plain
from noughts.app.telemetry import Metrics
from noughts.errors import Rejection
from noughts.protocol import messages
from noughts.protocol.codec import MAX_FRAME, BadCommandError, decode_command, decode_hello, encode
from noughts.protocol.messages import PROTOCOL, Hello, Ok, PlayerView, Pong, Rejected, Welcome
from noughts.room.commands import Chat, Ping, React, RoomCommand
from noughts.store.contract import StoreUnavailableError

HELLO_S: Final = 5.0
PING_EVERY_S: Final = 20.0
"""How often a silent client is asked for a sign of life; on a clock the answers also measure the network."""
SILENT_S: Final = 50.0
_PING_TIMED_S: Final = 5.0

CLOSE_UNAUTHORIZED: Final = 4401
CLOSE_UNKNOWN_ROOM: Final = 4404
CLOSE_NO_HELLO: Final = 4408
CLOSE_TOO_MANY: Final = 4429

log = structlog.get_logger()


class Sockets:
    """Every WebSocket of this process."""

    def __init__(
        self,
        hosts: Hosts,
        lobby: LobbyHost | None,
        guests: Guests,
        limits: Limits,
        metrics: Metrics,
        origins: tuple[str, ...],
    ) -> None:
        self._hosts = hosts
        self._lobby = lobby
        self._guests = guests
        self._limits = limits
        self._metrics = metrics
        self._origins = frozenset(origin.rstrip("/") for origin in origins)
        self._all: dict[Connection, Host | None] = {}
        self._of_address: Counter[str] = Counter()
        self._of_player: Counter[str] = Counter()
        self._keeper: asyncio.Task[None] | None = None
        self._stopping = False

    def __len__(self) -> int:
        return len(self._all)

    # --- the life of a connection -------------------------------------------------------------------------------

    async def handle(self, request: web.Request, address: str) -> web.StreamResponse:
        """Serve one WebSocket from its handshake to its end."""
        asked = request.headers
        if (
            "websocket" not in asked.get(hdrs.UPGRADE, "").lower()
            or "upgrade" not in asked.get(hdrs.CONNECTION, "").lower()
        ):
            message = (
                "This address speaks WebSocket only, and the request asked for no upgrade. If a browser or client did ask, "
                "a proxy on the way dropped the Upgrade and Connection headers: let it pass them on."
            )
            return web.Response(status=426, text=message + "\n", headers={hdrs.UPGRADE: "websocket"})
        if not self._origin_allowed(request):
            raise Rejection("forbidden", "Pages of this origin may not connect: see NOUGHTS_ORIGINS.")
        holder = network(address)
        if not self._limits.off and self._of_address[holder] >= MAX_SOCKETS_OF_ADDRESS:
            raise Rejection("rate_limited", "There are too many connections from your network.", retry_ms=10_000)
        # A limit of exactly 8 KiB refuses a message of that size.
        ws = web.WebSocketResponse(max_msg_size=MAX_FRAME + 1, compress=False, autoping=False, timeout=2.0)
        try:
            await ws.prepare(request)
        except ConnectionError:
            return web.Response(status=400)  # gone before the handshake was over: nobody hears this
        transport = request.transport
        if transport is None:
            return ws
        connection = Connection(ws, transport, address, time.monotonic())
        self._all[connection] = None
        if self._keeper is None and not self._stopping:
            self._keeper = asyncio.get_running_loop().create_task(self._keep_alive())
        self._of_address[holder] += 1
        self._metrics.connections.inc()
        try:
            if self._stopping:
                await connection.close(WSCloseCode.SERVICE_RESTART, "the server restarts: come back")
            else:
                await self._serve(connection)
        except (Rejection, StoreUnavailableError):
            # It could not be told who asks or what is in the lobby; the handshake is over, so no status can say so.
            await connection.close(WSCloseCode.SERVICE_RESTART, "the store cannot be read now: come back")
        finally:
            self._of_address[holder] -= 1
            if not self._of_address[holder]:
                del self._of_address[holder]
            self._all.pop(connection, None)
            self._metrics.connections.dec()
            if connection.gone:
                self._metrics.cut.inc()
            connection.gone = True
        return ws

    def _origin_allowed(self, request: web.Request) -> bool:
        """Absent, or host and port equal to the request's Host, or listed; compared as text."""
        told = request.headers.getall(hdrs.ORIGIN, [])
        if len(told) > 1:
            return False
        if not told or told[0] in self._origins:
            return True
        origin = told[0]
        scheme, separator, rest = origin.partition("://")
        return scheme in ("http", "https") and bool(separator) and bool(rest) and rest == request.headers.get(hdrs.HOST)

    async def _serve(self, connection: Connection) -> None:
        hello = await self._hello(connection)
        if hello is None:
            return
        if hello.token is not None:
            person = await self._guests.person(hello.token)
            if person is None:
                await connection.close(CLOSE_UNAUTHORIZED, "this token is not known: get another")
                return
            connection.person = person
        player = connection.person.player if connection.person is not None else None
        if player is not None:
            if not self._limits.off and self._of_player[player] >= MAX_SOCKETS_OF_PLAYER:
                await connection.close(CLOSE_TOO_MANY, "too many connections of one player")
                return
            self._of_player[player] += 1
        try:
            if hello.lobby:
                await self._in_lobby(connection)
            else:
                await self._in_room(connection, hello.room or "")
        finally:
            if player is not None:
                self._of_player[player] -= 1
                if not self._of_player[player]:
                    del self._of_player[player]

    async def _hello(self, connection: Connection) -> Hello | None:
        """The hello; None when the connection was closed for lack of one."""
        try:
            async with asyncio.timeout(HELLO_S):
                message = await connection.ws.receive()
                while message.type in (WSMsgType.PING, WSMsgType.PONG):
                    await self._control(connection, None, message)
                    message = await connection.ws.receive()
        except TimeoutError:
            await connection.close(CLOSE_NO_HELLO, "no hello in time")
            return None
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            return None
        hello = decode_hello(message.data) if message.type is WSMsgType.TEXT else None
        if hello is None or hello.protocol != PROTOCOL or (hello.room is None) != hello.lobby:
            await connection.close(
                WSCloseCode.POLICY_VIOLATION, f"say hello first, with protocol {PROTOCOL} and a room or the lobby"
            )
            return None
        return hello

    def _welcome(self, connection: Connection) -> None:
        person = connection.person
        player = PlayerView(person.player, person.name) if person is not None else None
        now_ms = self._hosts.around.clock.now_ms()
        connection.send(encode(Welcome(PROTOCOL, player, now_ms, messages.REACTIONS)))

    async def _in_lobby(self, connection: Connection) -> None:
        lobby = self._lobby
        if lobby is None:
            await connection.close(CLOSE_UNKNOWN_ROOM, "this server has no lobby")
            return
        self._welcome(connection)
        try:
            await lobby.join(connection)
            await self._listen(connection, None)
        finally:
            lobby.leave(connection)

    async def _in_room(self, connection: Connection, room_id: str) -> None:
        try:
            host = await self._hosts.find(room_id)
        except Rejection as refused:
            if refused.code == "unknown_room":
                await connection.close(CLOSE_UNKNOWN_ROOM, "there is no such room, or it has expired")
            else:
                await connection.close(WSCloseCode.SERVICE_RESTART, "the room cannot be read now: come back")
            return
        self._welcome(connection)
        host.join(connection)
        self._all[connection] = host
        try:
            await self._listen(connection, host)
        finally:
            host.leave(connection)

    async def _listen(self, connection: Connection, host: Host | None) -> None:
        ws = connection.ws
        while True:
            message = await ws.receive()
            connection.heard_s = time.monotonic()
            kind = message.type
            if kind is WSMsgType.TEXT:
                if not await self._message(connection, host, message.data):
                    return
            elif kind is WSMsgType.PING or kind is WSMsgType.PONG:
                await self._control(connection, host, message)
            elif kind is WSMsgType.BINARY:
                await connection.close(WSCloseCode.POLICY_VIOLATION, "text frames only")
                return
            else:
                return

    # --- one message --------------------------------------------------------------------------------------------

    async def _message(self, connection: Connection, host: Host | None, text: str) -> bool:
        """Answer one text frame; False when the connection is to end."""
        started_s = time.monotonic()
        command_id: str | None = None
        kind = "none"
        try:
            command = decode_command(text)
            command_id, kind = command.id, type(command).__name__.lower()
            if not self._limits.off:
                connection.charge(started_s, ping=isinstance(command, Ping))
            if isinstance(command, Ping):
                connection.send(encode(Pong(command.id, self._hosts.around.clock.now_ms())))
                return True
            version = await self._command(connection, host, command, started_s)
        except BadCommandError as wrong:
            self._reject(connection, wrong.id, wrong.rejection)
            self._metrics.answered("none", wrong.rejection.code)
            # Of malformed commands with an id only those beyond the credit count towards the end.
            if wrong.id is None or self._out_of_credit(connection, started_s):
                connection.bad += 1
            if connection.bad >= BAD_MESSAGES:
                await connection.close(CLOSE_TOO_MANY, "too many messages that are none")
                return False
            return True
        except Rejection as refused:
            self._reject(connection, command_id, refused)
            self._metrics.answered(kind, refused.code)
            if refused.code in ("stale", "illegal_move") and host is not None:
                host.show_to(connection)
            return True
        except Exception:
            self._metrics.faults.inc()
            log.exception("a command failed", command=kind)
            self._reject(
                connection, command_id, Rejection("internal", "Something went wrong on the server: try again.")
            )
            return True
        connection.send(encode(Ok(command.id, version)))
        self._metrics.answered(kind, "ok")
        self._metrics.command_seconds.observe(time.monotonic() - started_s)
        return True

    def _out_of_credit(self, connection: Connection, now_s: float) -> bool:
        """Whether there was no credit left: what is no command costs what one costs."""
        if self._limits.off:
            return False
        try:
            connection.charge(now_s, ping=False)
        except Rejection:
            return True
        return False

    async def _command(self, connection: Connection, host: Host | None, command: RoomCommand, now_s: float) -> int:
        person = connection.person
        if person is None:
            raise Rejection("unauthorized", "You watch without a name: say hello with a token to take part.")
        if host is None:
            raise Rejection("forbidden", "This is the lobby: connect to a room for that.")
        if isinstance(command, Chat):
            self._limits.take(CHAT, person.player, now_s)
        elif isinstance(command, React):
            self._limits.take(REACTIONS, person.player, now_s)
        return await host.request(person, command)

    def _reject(self, connection: Connection, command_id: str | None, refused: Rejection) -> None:
        connection.send(encode(Rejected(command_id, refused.code, refused.message, refused.retry_ms)))

    # --- signs of life ------------------------------------------------------------------------------------------

    async def _control(self, connection: Connection, host: Host | None, message: WSMessage) -> None:
        """A ping or a pong. The answer to our own ping is free and measures the network; whatever else comes costs what a
        message costs, and with no credit left nothing is done about it."""
        now_s = time.monotonic()
        if message.type is WSMsgType.PONG and connection.answered(message.data, now_s):
            if host is not None:
                host.network_measured()
        elif not self._out_of_credit(connection, now_s) and message.type is WSMsgType.PING:
            await connection.ws.pong(message.data)

    async def _keep_alive(self) -> None:
        """Ask silent clients for a sign of life and cut those that give none. One task for all, from the first connection to
        the last: while nobody is there, nothing runs."""
        try:
            while self._all:
                await asyncio.sleep(_PING_TIMED_S)
                self._ask_the_silent(time.monotonic())
        finally:
            self._keeper = None

    def _ask_the_silent(self, now_s: float) -> None:
        for connection, host in tuple(self._all.items()):
            silent_s = now_s - connection.heard_s
            if silent_s > SILENT_S:
                connection.sink.abort()
                continue
            timed = host is not None and host.room is not None and host.room.clock is not None
            if (silent_s >= PING_EVERY_S - _PING_TIMED_S / 2) or (timed and connection.person is not None):
                connection.ping(now_s)

    async def turn_out(self, address: str) -> None:
        """Close every connection of an address."""
        closing = [
            connection.close(WSCloseCode.POLICY_VIOLATION, "this address may not use the server")
            for connection in self._all
            if connection.address == plain(address)
        ]
        await asyncio.gather(*closing)

    async def dismiss(self, player: str) -> None:
        """Close every connection of a player who is deleted: the token is worth nothing any more."""
        closing = [
            connection.close(CLOSE_UNAUTHORIZED, "this token is not known: get another")
            for connection in self._all
            if connection.person is not None and connection.person.player == player
        ]
        await asyncio.gather(*closing)

    async def stop(self) -> None:
        """Close every connection: the server goes away, and is coming back."""
        self._stopping = True
        if self._keeper is not None:
            self._keeper.cancel()
        closing = [
            connection.close(WSCloseCode.SERVICE_RESTART, "the server restarts: come back") for connection in self._all
        ]
        await asyncio.gather(*closing)
