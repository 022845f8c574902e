"""The first protocol of every TCP connection, in front of aiohttp's: deadlines, and limits on connections and bytes.

A client has :data:`~noughts.app.runtime.limits.HEAD_S` for the head of a request, and
:data:`~noughts.app.runtime.limits.UNREAD_S` to read any part of what waits for it. Once the connection is a WebSocket,
:class:`~noughts.app.delivery.connection.Connection` has deadlines of its own.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final, cast

from aiohttp import hdrs, web
from aiohttp.web_protocol import RequestPayloadError

from noughts.app.delivery.admission import Admission
from noughts.app.delivery.sender import reset
from noughts.app.runtime.limits import HEAD_S, KEEP_ALIVE_S, LINGER_S, SEND_BUFFER, UNREAD_S, ByteMeter

BACKLOG: Final = 1024
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
_NOT_HTTP: Final = b'{"error":{"code":"bad_message","message":"The request is malformed."}}'


class FrontDoor(asyncio.Protocol):
    """One TCP connection: rejects it, or passes its bytes on to aiohttp. The admission checks its deadlines."""

    __slots__ = (
        "_admission",
        "_busy",
        "_head_since_s",
        "_http",
        "_least_unread",
        "_line",
        "_loop",
        "_make_http",
        "_metered",
        "_progress_s",
        "_resuming",
        "_websocket",
        "address",
        "meter",
    )

    def __init__(self, make_http: Callable[[], asyncio.Protocol], admission: Admission, *, metered: bool) -> None:
        self.address = "unknown"
        self.meter = ByteMeter() if metered else None
        """The credit for bytes; None without limits."""
        self._make_http = make_http
        self._admission = admission
        self._http: asyncio.Protocol
        self._loop = asyncio.get_running_loop()
        self._line: asyncio.Transport | None = None
        self._metered = metered
        """Whether the bytes of requests are charged."""
        self._busy = False
        """Whether a request is being answered."""
        self._websocket = False
        self._head_since_s: float | None = None
        """Since when the head of a request is on its way."""
        self._least_unread = 0
        self._progress_s = 0.0
        """When the client last read a part of what waits for it."""
        self._resuming: asyncio.TimerHandle | None = None

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
        if self._admission.is_proxy(self.address):
            self._metered = False  # the requests of many come through a proxy
        self._line = line
        self._head_since_s = self._loop.time()
        self._http = self._make_http()
        self._http.connection_made(line)

    def connection_lost(self, exc: Exception | None) -> None:
        self._line = None
        self._stop_resuming()
        self._admission.release(self)
        self._http.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._websocket:
            if not self._busy and self._head_since_s is None:
                self._head_since_s = self._loop.time()
            if self._metered:
                self._charge(len(data))
        self._http.data_received(data)

    def eof_received(self) -> bool | None:
        return self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    def _charge(self, count: int) -> None:
        """Charge bytes of requests. Read nothing for as long as the client has no credit for them."""
        wait_s = self.meter.charge(count) if self.meter is not None else 0.0
        if wait_s and self._line is not None:
            self._line.pause_reading()
            self._stop_resuming()
            self._resuming = self._loop.call_later(wait_s, self._line.resume_reading)

    def _stop_resuming(self) -> None:
        if self._resuming is not None:
            self._resuming.cancel()
            self._resuming = None

    # --- requests -----------------------------------------------------------------------------------------------

    def begin_request(self) -> None:
        """Note that the head of a request has arrived."""
        self._busy, self._head_since_s = True, None

    def end_request(self) -> None:
        """Note that a request has its answer."""
        self._busy = False

    def become_websocket(self) -> None:
        """Check no deadline and charge no byte from now on. The WebSocket does both."""
        self._websocket = True
        self._stop_resuming()
        self._admission.unwatch(self)

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


def front_door(request: web.BaseRequest) -> FrontDoor | None:
    """Return the front door through which a request came; None if its client is gone."""
    protocol = request.transport.get_protocol() if request.transport is not None else None
    return protocol if isinstance(protocol, FrontDoor) else None


class HttpProtocol(web.RequestHandler):
    """aiohttp's protocol of one connection. It answers a malformed request in our words."""

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


class Listener:
    """A port that listens. Each connection comes through a front door."""

    def __init__(self, runner: web.AppRunner, admission: Admission, *, metered: bool) -> None:
        self._runner = runner
        self._admission = admission
        self._metered = metered
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> None:
        """Listen. Raise :class:`OSError`."""
        loop, server = asyncio.get_running_loop(), self._runner.server
        options: dict[str, Any] = {
            "access_log": None,
            "keepalive_timeout": KEEP_ALIVE_S,
            "lingering_time": LINGER_S,
            "auto_decompress": False,
        }

        def make_http() -> HttpProtocol:
            return HttpProtocol(cast(web.Server, server), loop=loop, **options)

        self._server = await loop.create_server(
            lambda: FrontDoor(make_http, self._admission, metered=self._metered), host, port, backlog=BACKLOG
        )

    @property
    def addresses(self) -> list[Any]:
        """Where it listens."""
        return [line.getsockname() for line in self._server.sockets] if self._server is not None else []

    def stop(self) -> None:
        """Accept no more connections."""
        if self._server is not None:
            self._server.close()
