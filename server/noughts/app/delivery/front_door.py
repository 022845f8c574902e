"""The first protocol of every TCP connection, which is aiohttp's with deadlines and limits on connections and bytes.

A client has :data:`~noughts.app.runtime.limits.HEAD_S` for the head of a request, and
:data:`~noughts.app.runtime.limits.UNREAD_S` to read any part of what waits for it. Once the connection is a WebSocket,
:class:`~noughts.app.delivery.connection.Connection` is its protocol.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

from aiohttp import hdrs, web
from aiohttp.web_protocol import RequestPayloadError
from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.server import ServerProtocol

from noughts.app.delivery.admission import Admission
from noughts.app.delivery.sender import reset
from noughts.app.runtime.limits import (
    HEAD_S,
    KEEP_ALIVE_OF_PROXY_S,
    KEEP_ALIVE_S,
    LINGER_S,
    SEND_BUFFER,
    UNREAD_S,
    ByteMeter,
)

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
_SILENT: Final = logging.Logger("silent", logging.CRITICAL)
"""The libraries would log each request, and each client's broken handshake."""
_NOT_HTTP: Final = b'{"error":{"code":"bad_message","message":"The request is malformed."}}'


class FrontDoor(web.RequestHandler):
    """One TCP connection: rejects it, or lets aiohttp serve it. The admission checks its deadlines."""

    def __init__(self, server: web.Server, admission: Admission, *, metered: bool) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            access_log=_SILENT,
            keepalive_timeout=KEEP_ALIVE_OF_PROXY_S + HEAD_S,  # `close_if_idle` comes first
            lingering_time=LINGER_S,
            auto_decompress=False,
        )
        self.address = "unknown"
        self.meter = ByteMeter() if metered else None
        """The credit for bytes; None without limits."""
        self._admission = admission
        self._line: asyncio.Transport | None = None
        """The transport, until it is lost."""
        self._metered = metered
        """Whether the bytes of requests are charged."""
        self._answering = False
        """Whether a request is being answered."""
        self._head_since_s: float | None = None
        """Since when the head of a request is on its way."""
        self._least_unread = 0
        self._progress_s = 0.0
        """When the client last read a part of what waits for it."""
        self._resuming: asyncio.TimerHandle | None = None
        self._idle_since_s: float | None = None
        """Since when the connection has had no request."""
        self._of_proxy = False
        """Whether a trusted proxy made the connection."""
        self._forwarded = False
        """Whether the newest request was passed on."""

    # --- the life of the connection -----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast(asyncio.Transport, transport)  # uvloop's is no subclass of it
        peer = line.get_extra_info("peername")
        if peer:
            self.address = str(peer[0])
        if not self._admission.admit(self):
            line.set_protocol(asyncio.Protocol())
            line.write(REJECTION)
            line.close()
            return
        descriptor = line.get_extra_info("socket")
        if descriptor is not None:
            descriptor.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._of_proxy = self._admission.is_proxy(self.address)
        if self._of_proxy:
            self._metered = False  # the requests of many come through a proxy
        self._line = line
        self._head_since_s = asyncio.get_running_loop().time()
        super().connection_made(line)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._line = None
        self._stop_resuming()
        self._admission.unwatch(self)
        self._admission.release(self.address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if data and not self._answering and self._head_since_s is None:  # aiohttp asks for a parse with no data
            self._head_since_s = asyncio.get_running_loop().time()
        if self._metered:
            self._charge(len(data))
        super().data_received(data)

    def _charge(self, count: int) -> None:
        """Charge bytes of requests. Read nothing for as long as the client has no credit for them."""
        wait_s = self.meter.charge(count) if self.meter is not None else 0.0
        if wait_s and self._line is not None:
            self._line.pause_reading()
            self._stop_resuming()
            self._resuming = asyncio.get_running_loop().call_later(wait_s, self._credit_returned)

    def _credit_returned(self) -> None:
        self._resuming = None
        if self._line is not None:
            self._line.resume_reading()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Let aiohttp read on, which has room for more of a body, unless the client has no credit."""
        super().resume_reading(resume_parser)
        if self._resuming is not None and self._line is not None:
            self._line.pause_reading()

    def _stop_resuming(self) -> None:
        if self._resuming is not None:
            self._resuming.cancel()
            self._resuming = None

    def become_websocket(self, connection: asyncio.Protocol) -> Callable[[], None]:
        """Give the transport to a WebSocket, also the bytes that have arrived. aiohttp has nothing of it from now on.

        Return what must be called when the connection has ended: it is still counted.
        """
        tail: Any = _Tail()  # aiohttp names its own reader as the type
        self.set_parser(tail)
        line, self._line, self.transport = self._line, None, None
        super().connection_lost(None)
        self._admission.unwatch(self)
        self._stop_resuming()
        if line is not None:
            line.set_protocol(connection)
            line.resume_reading()
            if tail.data:
                connection.data_received(tail.data)
        return partial(self._admission.release, self.address)

    # --- requests -----------------------------------------------------------------------------------------------

    def begin_request(self, *, forwarded: bool = False) -> None:
        """Note that the head of a request has arrived. ``forwarded`` is true if a proxy passed the request on."""
        self._answering, self._head_since_s, self._idle_since_s = True, None, None
        self._forwarded = forwarded

    def end_request(self) -> None:
        """Note that a request has its answer."""
        self._answering = False
        self._idle_since_s = asyncio.get_running_loop().time()

    def close_if_idle(self, now_s: float) -> None:
        """Close a connection on which no request has come for long. A proxy should have closed its own before."""
        longest_s = KEEP_ALIVE_OF_PROXY_S if self._of_proxy else KEEP_ALIVE_S
        if self._idle_since_s is None or self._head_since_s is not None or now_s - self._idle_since_s < longest_s:
            return
        if self._of_proxy and self._forwarded:
            self._admission.note_outlived_proxy(self.address, longest_s)
        self.force_close()

    @property
    def outlived_proxy(self) -> bool:
        """Whether this server has closed an idle connection that a trusted proxy kept."""
        return self._admission.outlived_proxy

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

    # --- deadlines ----------------------------------------------------------------------------------------------

    def is_overdue(self, now_s: float) -> bool:
        """Return whether the head of a request, or the reading of an answer, takes too long."""
        if self._line is None:
            return False
        unread = self._line.get_write_buffer_size()
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


def accept(request: web.Request) -> bytes | web.Response:
    """Return the head that accepts a handshake (RFC 6455, section 4.2), or the response that rejects it."""
    headers = Headers(request.headers.items())
    response = ServerProtocol(logger=_SILENT).accept(Request(request.path_qs, headers))
    if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
        return web.Response(status=response.status_code, body=response.body)
    response.headers.update(HEADERS)
    return response.serialize()


class Upgraded(web.StreamResponse):
    """The response to a request whose connection has become a WebSocket. Nothing of it is sent."""

    def __init__(self) -> None:
        super().__init__(status=HTTPStatus.SWITCHING_PROTOCOLS)
        self.force_close()

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send no head."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Send no end."""


class _Tail:
    """Takes from aiohttp the bytes that arrived behind the head of a handshake."""

    data = b""

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self.data += data
        return False, b""

    def feed_eof(self) -> None: ...
