"""The sending side of one WebSocket. A caller never waits for the client.

A message is framed once, and the same bytes go to every connection of an audience. While a client reads, its frames are
written in one piece at the end of each turn of the event loop. While it does not read, they wait in an outbox that keeps
only the newest view, and after :data:`SLOW_S` seconds the client is cut.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from contextlib import suppress
from typing import Any, Final, Literal, Protocol, TypeAlias

from aiohttp import WSCloseCode, web

from noughts.app.delivery.frames import close_frame, ping_frame, pong_frame, text_frame
from noughts.app.delivery.resetting import reset
from noughts.app.delivery.websocket import DirectWebSocket
from noughts.protocol.close_codes import TOO_SLOW
from noughts.room.seat import Person

Kind: TypeAlias = Literal["view", "crowd", "lobby", "other"]
"""In the outbox, a newer message replaces the older one of its kind, except for the kind ``other``."""

FULL_BYTES: Final = 64 * 1024
"""A client with this many unsent bytes in its transport counts as not reading."""
MAX_OUTBOX: Final = 128
"""The most messages in the outbox. A client with more is cut."""
SLOW_S: Final = 10.0
"""How long a client may go without reading before it is cut."""
LAGS_KEPT: Final = 5
"""How many round trips count for a client's lag: those of the last 25 seconds, for a player on a clock."""
_POLL_S: Final = 0.1
"""How often a connection looks whether a client that did not read reads again."""
_CLOSE_S: Final = 2.0
_NONCE_BYTES: Final = 8
_NEVER_SENT: Final = (0, 1005, 1006, 1015)
"""Close codes that no Close frame has (RFC 6455, section 7.4.1)."""


class Sink(Protocol):
    """The part of a transport that a connection needs."""

    def write(self, data: bytes) -> None: ...
    def get_write_buffer_size(self) -> int: ...
    def is_closing(self) -> bool: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...
    def get_extra_info(self, name: str) -> Any: ...


State: TypeAlias = Literal["open", "closing", "cut"]
"""Once it is closing, our Close frame is sent, or will be next. A client that did not read is cut."""


class Flusher:
    """Writes the pending frames of all connections of this node at the end of each turn of the event loop.

    So an answer and a view that a client gets in one turn cost one system call.
    """

    __slots__ = ("_connections",)

    def __init__(self) -> None:
        self._connections: list[Connection] = []

    def add(self, connection: Connection) -> None:
        """Flush a connection at the end of this turn."""
        if not self._connections:
            asyncio.get_running_loop().call_soon(self._flush)
        self._connections.append(connection)

    def _flush(self) -> None:
        connections, self._connections = self._connections, []
        for connection in connections:
            connection.flush()


class Connection:
    """A client's socket, and its player, None for a nameless spectator."""

    __slots__ = (
        "_all_answered",
        "_flusher",
        "_lags_ms",
        "_outbox",
        "_pending",
        "_ping",
        "_reading",
        "_sink",
        "_ws",
        "address",
        "crowd_sent_ms",
        "lag_ms",
        "person",
        "received_s",
        "state",
        "timed",
        "unanswered",
    )

    def __init__(self, ws: web.WebSocketResponse, sink: Sink, flusher: Flusher, address: str, now_s: float) -> None:
        self.address = address
        self.person: Person | None = None
        self.state: State = "open"
        self.received_s = now_s
        """When the client last sent anything."""
        self.lag_ms: int | None = None
        """The shortest of the last measured round trips: the network's part of them, without any delay. None without one."""
        self.timed = False
        """Whether the client's room has a clock, so that the client's lag is measured."""
        self.crowd_sent_ms = 0
        """When the client was last sent the crowd of its room, or the lobby."""
        self.unanswered = 0
        """Commands of the client that have no answer yet."""
        self._all_answered: asyncio.Future[None] | None = None
        self._ws = ws
        self._sink = sink
        self._flusher = flusher
        self._pending = b""
        self._outbox: deque[tuple[Kind, bytes]] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._ping: tuple[bytes, float] | None = None
        self._lags_ms: tuple[int, ...] = ()

    # --- sending ------------------------------------------------------------------------------------------------

    def send(self, payload: bytes) -> None:
        """Send a message that no newer one replaces: an answer, a welcome, a chat line."""
        self.push(text_frame(payload), "other")

    def push(self, frame: bytes, kind: Kind) -> None:
        """Send a frame, or keep it until the client reads."""
        if self._outbox is None and self.state == "open":
            if self._pending:
                self._pending += frame
                return
            if self._sink.get_write_buffer_size() < FULL_BYTES:
                self._pending = frame
                self._flusher.add(self)
                return
        self._keep(frame, kind)

    def _keep(self, frame: bytes, kind: Kind) -> None:
        if self.state != "open" or self._sink.is_closing():
            return
        if self._outbox is None:
            self._outbox = deque()
            self._reading = asyncio.get_running_loop().create_task(self._wait_for_reader())
        if kind != "other":
            for i, (older, _) in enumerate(self._outbox):
                if older == kind:
                    del self._outbox[i]
                    break
        self._outbox.append((kind, frame))
        if len(self._outbox) > MAX_OUTBOX:
            self.cut()

    def flush(self) -> None:
        """Write the pending frames in one piece."""
        pending, self._pending = self._pending, b""
        if pending and not self._sink.is_closing():
            self._sink.write(pending)

    async def _wait_for_reader(self) -> None:
        """Write the outbox once the client reads again; cut the client when it has not read for too long."""
        left_s, before = SLOW_S, self._sink.get_write_buffer_size()
        while not self._sink.is_closing():
            size = self._sink.get_write_buffer_size()
            if size < FULL_BYTES:
                outbox, self._outbox, self._reading = self._outbox, None, None
                for kind, frame in outbox or ():
                    self.push(frame, kind)
                return
            left_s = SLOW_S if size < before else left_s - _POLL_S
            before = size
            if left_s <= 0:
                self.cut()
                return
            await asyncio.sleep(_POLL_S)

    # --- signs of life ------------------------------------------------------------------------------------------

    def ping(self, now_s: float) -> None:
        """Send a Ping (RFC 6455, section 5.5.2), unless the last one is still unanswered.

        The payload is random, so a client cannot answer a ping it has not received.
        """
        if self.state == "open" and self._ping is None and self._outbox is None and not self._sink.is_closing():
            nonce = os.urandom(_NONCE_BYTES)
            self._ping = (nonce, now_s)
            self._sink.write(ping_frame(nonce))

    def pong(self, payload: bytes) -> None:
        """Answer a client's Ping."""
        self.push(pong_frame(payload), "other")

    def pong_received(self, payload: bytes, now_s: float) -> bool:
        """Take a Pong. Return whether it answers our Ping; if so, the round trip counts for ``lag_ms``."""
        ping = self._ping
        if ping is None or payload != ping[0]:
            return False
        self._ping = None
        self._lags_ms = (*self._lags_ms, int((now_s - ping[1]) * 1000))[-LAGS_KEPT:]
        self.lag_ms = min(self._lags_ms)
        return True

    # --- the end ------------------------------------------------------------------------------------------------

    def abort(self) -> None:
        """Drop the connection at once."""
        reset(self._sink)

    def cut(self) -> None:
        """Drop a client that does not read. The Close frame is for a client that reads again before the socket ends."""
        self.state = "cut"
        self._stop_waiting()
        if not self._sink.is_closing():
            self._sink.write(close_frame(TOO_SLOW, "too slow to read"))
            asyncio.get_running_loop().call_later(_CLOSE_S, reset, self._sink)

    def _stop_waiting(self) -> None:
        self._outbox = None
        task, self._reading = self._reading, None
        if task is not None:
            task.cancel()

    def begin_close(self) -> None:
        """Write the pending frames, and neither send nor accept anything from now on."""
        if self.state == "open":
            self.flush()
            self.state = "closing"
        self._stop_waiting()

    async def close(self, code: int, reason: str) -> None:
        """Write the pending frames, then close with a code. A client that does not answer in time is dropped."""
        self.begin_close()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._ws.close(code=code, message=reason.encode())
        except (TimeoutError, ConnectionError):
            reset(self._sink)

    def end(self, code: int, reason: str) -> None:
        """Write the pending frames and a Close frame, then close the transport without waiting for the client's.

        While the server stops, nothing is read from clients any more.
        """
        was_open = self.state == "open"
        self.begin_close()
        if not self._sink.is_closing():
            if was_open:
                self._sink.write(close_frame(code, reason))
            self._sink.close()

    def hold(self, seconds: float) -> None:
        """Read nothing from the client for some seconds."""
        if isinstance(self._ws, DirectWebSocket):
            self._ws.hold(seconds)

    def answered(self) -> None:
        """Count a command as answered."""
        self.unanswered -= 1
        if not self.unanswered and self._all_answered is not None and not self._all_answered.done():
            self._all_answered.set_result(None)

    async def answer_close(self) -> None:
        """Answer the client's Close frame, once the commands that the client sent before it have their answers."""
        if self.unanswered:
            self._all_answered = asyncio.get_running_loop().create_future()
            with suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_S):
                    await self._all_answered
        code = self._ws.close_code
        await self.close(code if code is not None and code not in _NEVER_SENT else WSCloseCode.OK, "")

    def lost(self) -> None:
        """Stop waiting for the client, whose socket has ended."""
        self._stop_waiting()
