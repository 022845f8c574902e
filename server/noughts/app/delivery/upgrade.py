"""The handshake that turns aiohttp's connection into a WebSocket (RFC 6455, section 4.2)."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, Final, cast

from aiohttp import web
from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.server import ServerProtocol

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.front_door import HEADERS, FrontDoor

_SILENT: Final = logging.Logger("websockets", logging.CRITICAL)
"""The library would log each client's broken handshake."""


class Upgraded(web.StreamResponse):
    """The response to a request whose connection has become a WebSocket. Nothing of it is sent."""

    def __init__(self) -> None:
        super().__init__(status=HTTPStatus.SWITCHING_PROTOCOLS)
        self.force_close()

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send no head."""

    async def write_eof(self, data: bytes = b"") -> None:
        """Send no end."""


def accept(request: web.Request) -> bytes | web.Response:
    """Return the head that accepts a handshake, or the response that rejects it."""
    headers = Headers(request.headers.items())
    response = ServerProtocol(logger=_SILENT).accept(Request(request.path_qs, headers))
    if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
        return web.Response(status=response.status_code, body=response.body)
    response.headers.update(HEADERS)
    return response.serialize()


def upgrade(request: web.Request, door: FrontDoor, connection: Connection) -> None:
    """Give the bytes that follow a request to a connection, also those that have arrived."""
    door.become_websocket()
    request.protocol.keep_alive(False)
    parser: Any = cast(Any, connection)  # aiohttp names its own reader as the type
    request.protocol.set_parser(parser)
