"""A client without a network: a connection whose bytes are kept, and the messages in them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher
from noughts.room.seat import Person
from tests.support.wire import Wire

ADDRESS = "192.0.2.7"


class _ClosingWire(Wire):
    """The wire of a client that ends its connection as soon as the server has sent a Close frame."""

    connection: Connection

    def write_eof(self) -> None:
        super().write_eof()
        asyncio.get_running_loop().call_soon(self.connection.connection_lost, None)


class Screen:
    """What one client was sent. Frames are written at the end of a turn of the event loop."""

    def __init__(self, flusher: Flusher, now_s: float, person: Person | None = None, address: str = ADDRESS) -> None:
        self._wire = _ClosingWire()
        self.connection = self._wire.connection = Connection(self._wire, flusher, address, now_s)
        self.connection.person = person

    @property
    def code(self) -> int | None:
        """The code with which the server closed the connection."""
        return self._wire.close_code

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All messages so far, as JSON."""
        data, messages = b"".join(self._wire.written), []
        while data and data[0] == 0x81:  # a Close frame is the last
            size, start = data[1], 2
            if size >= 126:
                start = 4 if size == 126 else 10
                size = int.from_bytes(data[2:start])
            messages.append(json.loads(data[start : start + size]))
            data = data[start + size :]
        return messages

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return all messages of a type."""
        return [message for message in self.messages if message["type"] == kind]

    def clear(self) -> None:
        """Forget what was sent so far."""
        self._wire.written.clear()

    @property
    def events(self) -> list[str]:
        """The events of all room messages, without those that show none."""
        return [message["event"]["type"] for message in self.of("room") if message["event"] is not None]

    @property
    def versions(self) -> list[int]:
        """The versions of all room messages."""
        return [message["version"] for message in self.of("room")]

    @property
    def room(self) -> dict[str, Any]:
        """The newest view."""
        return dict(self.of("room")[-1]["room"])

    @property
    def can(self) -> list[str]:
        """What the client can do, as last shown."""
        return list(self.of("room")[-1]["you"]["can"])

    @property
    def crowd(self) -> dict[str, Any]:
        """The newest crowd."""
        return self.of("crowd")[-1]

    @property
    def chat(self) -> list[str]:
        """The texts of all chat lines."""
        return [line["text"] for message in self.of("chat") for line in message["lines"]]
