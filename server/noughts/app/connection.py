"""One WebSocket: what goes out to it, without ever waiting for it.

A message is framed once (:func:`text_frame`) and the same bytes go to every connection of an audience. While a client
reads, they are written at once. When it does not, they wait in an outbox that keeps only the newest view; a client that is
too slow for too long is cut.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Final, Literal, Protocol, TypeAlias

from aiohttp import web

from noughts.app.limits import MESSAGES, PINGS, Bucket
from noughts.room.seat import Person

Kind: TypeAlias = Literal["view", "crowd", "lobby", "other"]

FULL_BYTES: Final = 256 * 1024
"""With so much unsent in the transport, a client counts as not reading."""
MAX_OUTBOX: Final = 128
"""Messages that may wait for a client that is not reading, superseded views not counted."""
SLOW_S: Final = 10.0
"""How long a client may go without reading."""
_LOOK_AGAIN_S: Final = 0.1
_CLOSE_S: Final = 2.0
_NONCE_BYTES: Final = 8

CLOSE_TOO_SLOW: Final = 4503


class Sink(Protocol):
    """The part of a transport that a connection needs."""

    def write(self, data: bytes) -> None: ...
    def get_write_buffer_size(self) -> int: ...
    def is_closing(self) -> bool: ...
    def abort(self) -> None: ...


def text_frame(payload: bytes) -> bytes:
    """One unfragmented, unmasked text frame (RFC 6455, section 5.2): a server's frames are alike for every client, so one
    serves them all::

        0x81 | length, 7 bits                 up to 125 bytes
        0x81 | 126 | length, 16 bits          up to 65,535
        0x81 | 127 | length, 64 bits          beyond
    """
    size = len(payload)
    if size < 126:
        return b"\x81" + bytes((size,)) + payload
    if size < 65_536:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


_flushing: Final[list[Connection]] = []
"""Connections with something to write in this turn of the loop."""


def _flush_soon(connection: Connection) -> None:
    """Write at the end of this turn: an answer and a view that come together cost one system call."""
    if not _flushing:
        asyncio.get_running_loop().call_soon(_flush_all)
    _flushing.append(connection)


def _flush_all() -> None:
    connections = tuple(_flushing)
    _flushing.clear()
    for connection in connections:
        if connection.has_pending:
            connection.flush()


class Connection:
    """A client's socket, and who is behind it (nobody: a nameless spectator)."""

    __slots__ = (
        "_asked",
        "_outbox",
        "_pending",
        "_pings",
        "_slow",
        "address",
        "bad",
        "closing",
        "credits",
        "gone",
        "heard_s",
        "person",
        "rtt_ms",
        "sink",
        "told_ms",
        "ws",
    )

    def __init__(self, ws: web.WebSocketResponse, sink: Sink, address: str, now_s: float) -> None:
        self.ws = ws
        self.sink = sink
        self.address = address
        self.person: Person | None = None
        self.credits: Bucket | None = None
        self._pings: Bucket | None = None
        self._outbox: deque[tuple[Kind, bytes]] | None = None
        self._pending: list[bytes] = []
        self._slow: asyncio.Task[None] | None = None
        self._asked: tuple[bytes, float] | None = None
        self.bad = 0
        self.closing = False  # our Close frame is out, or about to be: after it nothing may follow
        self.gone = False
        self.told_ms = 0  # when it was last sent the crowd of its room, or the lobby
        self.rtt_ms = 0
        self.heard_s = now_s

    def charge(self, now_s: float, *, ping: bool) -> None:
        """Take a credit for a message. Raises a :class:`~noughts.errors.Rejection`."""
        if ping:
            if self._pings is None:
                self._pings = Bucket(PINGS, now_s)
            self._pings.take(now_s)
            return
        if self.credits is None:
            self.credits = Bucket(MESSAGES, now_s)
        self.credits.take(now_s)

    def send(self, payload: bytes) -> None:
        """Send a message of its own kind: an answer, a welcome, a chat line."""
        self.push(text_frame(payload), "other")

    def push(self, frame: bytes, kind: Kind) -> None:
        """Send a frame, or keep it until the client reads; a newer view, crowd or lobby takes the place of an older."""
        sink = self.sink
        if self.gone or self.closing or sink.is_closing():
            return
        if self._outbox is None:
            if self._pending:
                self._pending.append(frame)
                return
            if sink.get_write_buffer_size() < FULL_BYTES:
                self._pending.append(frame)
                _flush_soon(self)
                return
            self._outbox = deque()
            self._slow = asyncio.get_running_loop().create_task(self._wait_for_reader())
        outbox = self._outbox
        if kind != "other":
            for i, (waiting, _) in enumerate(outbox):
                if waiting == kind:
                    del outbox[i]
                    break
        outbox.append((kind, frame))
        if len(outbox) > MAX_OUTBOX:
            self.cut()

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def flush(self) -> None:
        """Write what was pushed in this turn of the loop, in one piece."""
        pending, self._pending = self._pending, []
        if not self.sink.is_closing():
            self.sink.write(pending[0] if len(pending) == 1 else b"".join(pending))

    async def _wait_for_reader(self) -> None:
        """While the client does not read, look now and then; write what waits when it does, cut it when it is too late."""
        left_s, before = SLOW_S, self.sink.get_write_buffer_size()
        while not self.sink.is_closing():
            size = self.sink.get_write_buffer_size()
            if size < FULL_BYTES:
                outbox, self._outbox, self._slow = self._outbox, None, None
                for kind, frame in outbox or ():
                    self.push(frame, kind)
                return
            left_s = SLOW_S if size < before else left_s - _LOOK_AGAIN_S
            before = size
            if left_s <= 0:
                self.cut()
                return
            await asyncio.sleep(_LOOK_AGAIN_S)

    def ping(self, now_s: float) -> None:
        """Ask for a sign of life (RFC 6455, section 5.5.2), unless one that was asked for is still to come. What is to come
        back is drawn by lot, so that an answer cannot be sent ahead of its question."""
        if self.gone or self.closing or self.sink.is_closing():
            return
        if self._asked is None and self._outbox is None:
            nonce = os.urandom(_NONCE_BYTES)
            self._asked = (nonce, now_s)
            self.sink.write(b"\x89" + bytes((_NONCE_BYTES,)) + nonce)

    def answered(self, payload: bytes, now_s: float) -> bool:
        """Whether a pong is the answer to our ping, which it is once; then it tells what the network needs for both ways."""
        asked = self._asked
        if asked is None or payload != asked[0]:
            return False
        self._asked = None
        self.rtt_ms = int((now_s - asked[1]) * 1000)
        return True

    def cut(self) -> None:
        """Give up on a client that does not read: say so, in case it ever does, and drop the connection."""
        self.gone = True
        self._stop_waiting()
        if not self.sink.is_closing():
            reason = b"too slow to read"
            code = CLOSE_TOO_SLOW.to_bytes(2, "big")
            self.sink.write(b"\x88" + bytes((2 + len(reason),)) + code + reason)
            asyncio.get_running_loop().call_later(_CLOSE_S, self.sink.abort)

    def _stop_waiting(self) -> None:
        """What waits for the client to read is not for it any more."""
        self._outbox = None
        task, self._slow = self._slow, None
        if task is not None:
            task.cancel()

    async def close(self, code: int, reason: str) -> None:
        """Close with a code, after what was written before; a client that does not answer is dropped."""
        if self._pending:
            self.flush()
        self.closing = True
        self._stop_waiting()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self.ws.close(code=code, message=reason.encode())
        except (TimeoutError, ConnectionError):
            self.sink.abort()
