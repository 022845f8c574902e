"""aiohttp's protocol for one TCP connection, with deadlines, and with a limit on what a WebSocket's client may send.

A client has :data:`HEAD_S` for the head of a request, and :data:`UNREAD_S` to read any part of what waits for it. A
WebSocket is parsed a few frames at a time, so that one client's bytes never hold the event loop. While a client has no
credit, its transport is not read.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from aiohttp import hdrs, web
from aiohttp.http_websocket import WebSocketReader
from aiohttp.web_protocol import RequestHandler, RequestPayloadError

from noughts.app.delivery.admission import Admission
from noughts.app.delivery.frame_headers import FrameHeaders, MalformedFrameError
from noughts.app.delivery.resetting import reset
from noughts.store.coordination import Bucket, Rate

HEAD_S: Final = 10.0
UNREAD_S: Final = 30.0
KEEP_ALIVE_S: Final = 30.0
LINGER_S: Final = 1.0
"""How long the rest of a body is read when the answer did not need it."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes of the kernel's send buffer. Linux takes twice as many, and grows it to megabytes if it is not set."""
FRAMES_A_TURN: Final = 16
"""Frames of one client that are parsed in one turn of the event loop."""
FRAMES_AT_END: Final = 128
"""Frames that are parsed of what a client sent before its connection ended. A client has credit for 40 messages at once."""
BYTES: Final = Rate(320 * 1024, 80 * 1024)
"""Bytes that a client may send on one connection: as many as its messages may have."""
GRANT: Final = 4 * 1024
"""Bytes that are charged at a time."""
FRAME_BYTES: Final = 64
"""Bytes that a frame costs beside its own: a frame without content costs the server about as much time as these."""
MAX_HOLD_S: Final = 10.0
"""The longest time for which nothing is read from a client."""
SERVER_NAME: Final = "Noughts"
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    hdrs.SERVER: SERVER_NAME,
}
"""Headers of every answer that has none of its own by these names."""
_REJECTED: Final = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 10\r\nConnection: close\r\n"
    + b"".join(f"{name}: {value}\r\n".encode() for name, value in HEADERS.items())
)
_REJECTED_BODY: Final = (
    b'{"error":{"code":"rate_limited","message":"There are too many connections from your network: close some."}}'
)
REJECTION: Final = _REJECTED + b"Content-Length: %d\r\n\r\n" % len(_REJECTED_BODY) + _REJECTED_BODY
_BROKEN_FRAME: Final = b"\xf0\x80"
"""The head of a frame with all reserved bits: the parser ends the connection with 1002."""
_NOT_HTTP: Final = b'{"error":{"code":"bad_message","message":"The request is malformed."}}'


class ShortTextReceiver(Protocol):
    """Takes the frames of short texts, which aiohttp's parser then need not see."""

    def short_text_received(self, frame: bytes) -> bool:
        """Take a frame. Return False if the parser is to have it."""
        ...


class Doorkeeper(asyncio.Protocol):
    """The first protocol of every TCP connection: rejects it, or hands it to a :class:`GuardedHandler`."""

    def __init__(self, make_handler: Callable[[str], GuardedHandler], admission: Admission) -> None:
        self._make_handler = make_handler
        self._admission = admission

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        handler = self._make_handler(str(peer[0]) if peer else "unknown")
        if not self._admission.admit(handler):
            transport.write(REJECTION)
            transport.close()
            return
        line = transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        transport.set_protocol(handler)
        handler.connection_made(transport)


class GuardedHandler(RequestHandler):
    """aiohttp's handler of a connection, which keeps the deadlines. Its owner checks them through the admission."""

    __slots__ = (
        "_admission",
        "_awaits_turn",
        "_bytes",
        "_frames",
        "_granted",
        "_head_since_s",
        "_holding",
        "_least_unread",
        "_line",
        "_metered",
        "_metered_socket",
        "_progress_s",
        "_short_texts",
        "_unparsed",
        "address",
    )

    def __init__(
        self, server: Any, loop: asyncio.AbstractEventLoop, address: str, admission: Admission, *, metered: bool
    ) -> None:
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type]
            keepalive_timeout=KEEP_ALIVE_S,
            lingering_time=LINGER_S,
            auto_decompress=False,
        )
        self.address = address
        self._admission = admission
        self._line: asyncio.Transport | None = None
        self._head_since_s: float | None = None
        """Since when the head of a request is on its way."""
        self._least_unread = 0
        self._progress_s = 0.0
        """When the client last read a part of what waits for it."""
        self._frames = FrameHeaders()
        self._short_texts: ShortTextReceiver | None = None
        self._unparsed = b""
        """Bytes of a WebSocket that were read but not parsed."""
        self._awaits_turn = False
        """Whether more of these bytes are parsed in a later turn of the event loop."""
        self._holding: asyncio.TimerHandle | None = None
        """Ends the time in which the transport is not read."""
        self._metered = metered and not admission.is_proxy(address)  # the requests of many come through a proxy
        self._metered_socket = metered
        self._granted = GRANT
        self._bytes: Bucket | None = None

    # --- the life of the connection -----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._line = cast(asyncio.Transport, transport)
        self._head_since_s = self._loop.time()
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._holding is not None:
            self._holding.cancel()
            self._holding = None
        elif self._unparsed:
            self._parse(self._unparsed, FRAMES_AT_END)
        self._unparsed = b""
        self._admission.release(self)
        self._line = None
        super().connection_lost(exc)

    async def start(self) -> None:
        try:
            await super().start()
        finally:
            if self._line is not None:  # what was written last may wait for a client that does not read
                self._admission.watch(self, watched=True)

    def set_parser(self, parser: WebSocketReader, data_received_cb: Callable[[], None] | None = None) -> None:
        self._admission.watch(self, watched=False)
        self._head_since_s = None
        self._metered = self._metered_socket
        early, self._message_tail = self._message_tail, b""
        super().set_parser(parser, data_received_cb)
        if early:
            self.data_received(early)

    def give_short_texts_to(self, receiver: ShortTextReceiver) -> None:
        """Give each frame that is a whole, short text to a receiver before the parser has it."""
        self._short_texts = receiver

    def is_overdue(self, now_s: float) -> bool:
        """Return whether the head of a request, or the reading of an answer, takes too long."""
        line = self._line
        if line is None:
            return False
        unread = line.get_write_buffer_size()
        if not unread or unread < self._least_unread or not self._least_unread:
            self._progress_s = now_s
        self._least_unread = unread
        if unread and now_s - self._progress_s >= UNREAD_S:
            return True
        return self._head_since_s is not None and now_s - self._head_since_s >= HEAD_S

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._line is not None:
            reset(self._line)

    # --- reading ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._granted -= len(data)
        if self._granted < 0 and self._metered:
            self._charge()
        if self._payload_parser is None:
            self._head_received(data)
            return
        if self._unparsed:
            data, self._unparsed = self._unparsed + data, b""
        if self._holding is not None or self._awaits_turn:
            self._unparsed = data
        else:
            self._parse(data, FRAMES_A_TURN)

    def _head_received(self, data: bytes) -> None:
        if data and self._head_since_s is None and self._waiter is not None:
            self._head_since_s = self._loop.time()
        before = self._request_count
        super().data_received(data)
        if self._request_count != before:
            self._head_since_s = None

    def _parse(self, data: bytes, frames: int) -> None:
        """Give the parser at most this many frames, and the rest in a later turn of the event loop."""
        parser = self._payload_parser
        if self._force_close or self._close or parser is None:
            return
        if self._frames.is_short_text(data):
            self._charge_frames(1)
            receiver = self._short_texts
            if (receiver is None or not receiver.short_text_received(data)) and parser.feed_data(data)[0]:
                self.close()
            return
        try:
            end, count = self._frames.end_of(data, frames)
        except MalformedFrameError as error:
            parser.feed_data(data[: error.at])
            parser.feed_data(_BROKEN_FRAME)
            self.close()
            return
        self._charge_frames(count)
        if end < len(data):
            self._unparsed = data[end:]
            if count == frames:
                self._awaits_turn = True
                self._pause_transport_reading()
                self._loop.call_soon(self._go_on)
            data = data[:end]
        if parser.feed_data(data)[0]:
            self.close()

    def _go_on(self) -> None:
        """Parse more of what was read, unless the client has no credit; then read again."""
        self._awaits_turn = False
        if self._holding is not None or self._line is None:
            return
        unparsed, self._unparsed = self._unparsed, b""
        if unparsed:
            self._parse(unparsed, FRAMES_A_TURN)
        if not self._awaits_turn and not self._reading_paused and not self._buffer_paused:
            self._resume_transport_reading()

    def _resume_transport_reading(self) -> None:
        if self._holding is None and not self._awaits_turn:
            super()._resume_transport_reading()

    # --- credit -------------------------------------------------------------------------------------------------

    def hold(self, seconds: float) -> None:
        """Read nothing from the client for some seconds."""
        if self._holding is None and self._line is not None:
            self._pause_transport_reading()
            self._holding = self._loop.call_later(min(seconds, MAX_HOLD_S), self._end_hold)

    def _end_hold(self) -> None:
        self._holding = None
        self._go_on()

    def _charge_frames(self, count: int) -> None:
        self._granted -= count * FRAME_BYTES
        if self._granted < 0 and self._metered:
            self._charge()

    def _charge(self) -> None:
        """Charge what was read beyond the last charge. Read nothing for as long as the client has no credit for it."""
        now_s = self._loop.time()
        if self._bytes is None:
            self._bytes = Bucket(Rate(BYTES.burst / GRANT, BYTES.per_s / GRANT), now_s)
        wait_s = 0.0
        while self._granted < 0:
            self._granted += GRANT
            if self._bytes.take(now_s):
                wait_s += GRANT / BYTES.per_s
        if wait_s:
            self.hold(wait_s)

    # --- answers ------------------------------------------------------------------------------------------------

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Answer a request that aiohttp could not parse with a short response, and log nothing of it.

        aiohttp also calls this for a body that ends too early. The client is gone then, which is not logged either.
        """
        if status >= 500 and not isinstance(exc, ConnectionError | RequestPayloadError):
            return super().handle_error(request, status, exc, message)
        response = web.Response(status=status, body=_NOT_HTTP, content_type="application/json", headers=HEADERS)
        response.force_close()
        return response


class GuardedSite(web.TCPSite):
    """A listening port whose connections pass a doorkeeper."""

    def __init__(self, runner: web.AppRunner, host: str, port: int, admission: Admission, *, metered: bool) -> None:
        super().__init__(runner, host, port, backlog=1024)
        self._admission = admission
        self._metered = metered

    async def start(self) -> None:
        await web.BaseSite.start(self)
        loop = asyncio.get_running_loop()
        server = self._runner.server

        def make_handler(address: str) -> GuardedHandler:
            return GuardedHandler(server, loop, address, self._admission, metered=self._metered)

        self._server = await loop.create_server(
            lambda: Doorkeeper(make_handler, self._admission), self._host, self._port, backlog=1024
        )
