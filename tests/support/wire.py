"""The far end of a connection without a network: what is written, and how the client reads and answers."""

from __future__ import annotations

import asyncio
from typing import Any

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher
from noughts.room.seat import Person

ADDRESS = "203.0.113.9"


class Wire(asyncio.Transport):
    """The transport of a client. ``written`` lists what each call wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.unread_bytes = 0
        self.reads = True
        """Whether the server reads what the client sends."""
        self.lost = False
        self.aborted = False
        self.shut = False
        """Whether the server has shut down writing."""

    @property
    def close_code(self) -> int | None:
        """The code with which the server closed."""
        codes = [int.from_bytes(data[2:4]) for data in self.written if data[0] == 0x88]
        assert len(codes) <= 1
        return codes[0] if codes else None

    def write(self, data: Any) -> None:
        assert not self.shut, "nothing follows the Close frame"
        self.written.append(data)

    def write_eof(self) -> None:
        self.shut = True

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def is_closing(self) -> bool:
        return self.lost or self.aborted

    def abort(self) -> None:
        self.aborted = True


def connection_to(wire: Wire, flusher: Flusher, person: Person | None = None, address: str = ADDRESS) -> Connection:
    """Return a connection whose client is the wire. Its last message came at second 0."""
    connection = Connection(wire, flusher, address, 0.0)
    connection.person = person
    return connection


async def end_of_turn() -> None:
    """Let the loop finish this turn, at whose end pending frames are written, and the next."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
