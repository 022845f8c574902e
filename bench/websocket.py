"""A WebSocket client that costs little: the load must not compete with the server that it measures."""

from __future__ import annotations

import asyncio
import base64
import os
from collections import deque
from collections.abc import Callable
from typing import Final, cast
from urllib.parse import urlsplit

TEXT: Final = 1
BINARY: Final = 2
_CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10
_MASK: Final = bytes.fromhex("6e6f7567")
"""One masking key for every frame: the server unmasks as ever, and a frame can be made before the clock runs."""


def frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """Return a whole masked frame, ready to be written.

    Raises:
        ValueError: The payload has 64 KiB or more.
    """
    size = len(payload)
    if size < 126:
        head = bytes((0x80 | opcode, 0x80 | size))
    elif size < 1 << 16:
        head = bytes((0x80 | opcode, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        raise ValueError(f"{size} bytes are more than the benchmark sends")
    key = (_MASK * (size // 4 + 1))[:size]
    masked = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
    return head + _MASK + masked


def handshake(url: str) -> bytes:
    """Return the request that opens a WebSocket at a ``ws://`` URL."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def parse(data: bytes, position: int = 0) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return the opcode and payload of each whole frame of a server, and the bytes of the frame that is not whole."""
    messages = []
    size = len(data)
    while size - position >= 2:
        opcode, length = data[position] & 15, data[position + 1]
        start = position + 2
        if length == 126:
            if size - start < 2:
                break
            length = data[start] << 8 | data[start + 1]
            start += 2
        elif length == 127:
            if size - start < 8:
                break
            length = int.from_bytes(data[start : start + 8], "big")
            start += 8
        if start + length > size:
            break
        messages.append((opcode, data[start : start + length]))
        position = start + length
    return messages, data[position:]


class WebSocket(asyncio.Protocol):
    """One connection. Messages go to ``receiver`` if there is one, else they wait for ``receive``."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._rest = b""
        self._open = False
        self._messages: deque[bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None
        self.receiver: Callable[[bytes], None] | None = None
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self._transport = cast(asyncio.Transport, transport)  # uvloop's transports are no subclass of it
        self._transport.write(handshake(self._url))

    def data_received(self, data: bytes) -> None:
        """Pass on every whole message; keep the rest."""
        if self._rest:
            data = self._rest + data
        position = 0
        if not self._open:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._rest = data
                return
            if not data.startswith(b"HTTP/1.1 101"):
                self.closed = True
                self._wake()
                return
            self._open = True
            position = end + 4
            self._wake()
        messages, self._rest = parse(data, position)
        for opcode, payload in messages:
            if opcode <= BINARY:
                self._message(payload)
            elif opcode == PING:
                self.write(frame(payload, PONG))
            elif opcode == _CLOSE:
                self.closed = True
                self._wake()

    def connection_lost(self, exception: Exception | None) -> None:
        """Wake the reader, which raises."""
        self.closed = True
        self._wake()

    def write(self, data: bytes) -> None:
        """Write a whole frame as it is."""
        assert self._transport is not None
        self._transport.write(data)

    def send(self, text: str) -> None:
        """Send a text."""
        self.write(frame(text.encode()))

    async def opened(self) -> None:
        """Wait for the server's answer to the handshake.

        Raises:
            ConnectionError: The server rejected it.
        """
        while not self._open:
            await self._wait()

    async def receive(self) -> bytes:
        """Return the next message.

        Raises:
            ConnectionError: The connection is closed.
        """
        while not self._messages:
            await self._wait()
        return self._messages.popleft()

    async def until(self, prefix: bytes) -> bytes:
        """Return the first message that begins with ``prefix``; the messages before it are dropped."""
        while True:
            message = await self.receive()
            if message.startswith(prefix):
                return message

    async def until_each(self, *parts: bytes) -> bytes:
        """Return the last message needed until each part was in one, in any order; the messages are dropped."""
        missing = set(parts)
        message = b""
        while missing:
            message = await self.receive()
            missing = {part for part in missing if part not in message}
        return message

    def close(self) -> None:
        """Close the connection; what is not read yet is lost."""
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    def _message(self, payload: bytes) -> None:
        if self.receiver is not None:
            self.receiver(payload)
        else:
            self._messages.append(payload)
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _wait(self) -> None:
        if self.closed:
            raise ConnectionError(f"the server closed {self._url}")
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter
        self._waiter = None


async def connect(url: str) -> WebSocket:
    """Return an open connection to a ``ws://`` URL."""
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(lambda: WebSocket(url), parts.hostname or "127.0.0.1", parts.port or 80)
    async with asyncio.timeout(60):
        await socket.opened()
    return socket
