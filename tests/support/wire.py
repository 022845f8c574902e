"""The far end of a connection without a network: what is written, and how the client reads and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from noughts.app.delivery.connection import Connection, Flusher
from noughts.room.seat import Person

ADDRESS = "203.0.113.9"
CLOSE_FRAME = b"\x88"
"""Written in place of the Close frame that aiohttp writes."""


class Wire:
    """The transport of a client. ``written`` lists what each call wrote."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.unread_bytes = 0
        self.close_code: int | None = None
        """The code with which the server closed."""
        self.sent_code: int | None = None
        """The code of the client's own Close frame."""
        self.closed_s: float | None = None
        """When the server closed without waiting for the client's Close frame."""
        self.lost = False
        self.aborted = False
        self.answer_close: Callable[[], Awaitable[None]] | None = None
        """What the client does between our Close frame and its own; None: it answers at once."""

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def is_closing(self) -> bool:
        return self.lost or self.aborted or self.closed_s is not None

    def get_extra_info(self, name: str) -> None: ...

    def close(self) -> None:
        self.closed_s = asyncio.get_running_loop().time()
        self.close_code = int.from_bytes(self.written[-1][2:4])

    def abort(self) -> None:
        self.aborted = True


class _WebSocket(web.WebSocketResponse):
    """The WebSocket on a wire."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire

    @property
    def close_code(self) -> int | None:
        return self._wire.sent_code

    async def close(self, *, code: int = 1000, message: bytes = b"", drain: bool = True) -> bool:
        self._wire.written.append(CLOSE_FRAME)
        self._wire.close_code = code
        if self._wire.answer_close is not None:
            await self._wire.answer_close()
        return True


def connection_to(wire: Wire, flusher: Flusher, person: Person | None = None, address: str = ADDRESS) -> Connection:
    """Return a connection whose client is the wire. Its last message came at second 0."""
    connection = Connection(_WebSocket(wire), wire, flusher, address, 0.0)
    connection.person = person
    return connection


async def end_of_turn() -> None:
    """Let the loop finish this turn, at whose end pending frames are written, and the next."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
