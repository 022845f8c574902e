"""A WebSocket client without a library: a handshake of any shape, and frames byte by byte (RFC 6455, section 5.2)."""

from __future__ import annotations

import asyncio
import base64
import os
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.support.player import WAIT_S, Served

CONTINUATION: Final = 0
TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10

UPGRADE: Final = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
}
LOBBY_HELLO: Final = b'{"type":"hello","protocol":1,"lobby":true}'


class RawSocket(NamedTuple):
    """The status of the handshake, and the two ends to read and write frames."""

    status: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def frame(self) -> tuple[int, bytes]:
        """Return opcode and payload of the server's next frame. Raise ``IncompleteReadError`` at the end."""
        async with asyncio.timeout(WAIT_S):
            first, second = await self.reader.readexactly(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", await self.reader.readexactly(2))
            return first & 0x0F, await self.reader.readexactly(size)

    async def until_frame(self, opcode: int) -> bytes:
        """Return the payload of the server's next frame of a kind."""
        while True:
            kind, payload = await self.frame()
            if kind == opcode:
                return payload

    async def close_code(self) -> int | None:
        """Read until the server closes. Return its close code, None if the connection ended without a Close frame."""
        try:
            return int(struct.unpack("!H", (await self.until_frame(CLOSE))[:2])[0])
        except (asyncio.IncompleteReadError, ConnectionError):
            return None


def authority(server: Served) -> str:
    """Return host and port of a server."""
    return server.url.removeprefix("http://")


def upgrade_request(host: str = "127.0.0.1", changed: Mapping[str, str | None] = MappingProxyType({})) -> bytes:
    """Return a handshake with changed headers, None for a missing one."""
    headers: dict[str, str | None] = {"Host": host, **UPGRADE, **changed}
    lines = ["GET /ws HTTP/1.1", *[f"{name}: {value}" for name, value in headers.items() if value is not None]]
    return "\r\n".join([*lines, "", ""]).encode()


@asynccontextmanager
async def handshake(
    server: Served,
    origin: str | None = None,
    *,
    changed: Mapping[str, str | None] = MappingProxyType({}),
    more: bytes = b"",
    address: str | None = None,
) -> AsyncIterator[RawSocket]:
    """Send a handshake with changed headers, None for a missing one, and bytes that follow it in the same segment.

    ``address`` is the client's, such as 127.9.0.1.
    """
    host, port = authority(server).split(":")
    local = None if address is None else (address, 0)
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=local)
    writer.write(upgrade_request(authority(server), {**changed, "Origin": origin}) + more)
    try:
        async with asyncio.timeout(WAIT_S):
            head = await reader.readuntil(b"\r\n\r\n")
        yield RawSocket(int(head.split()[1]), reader, writer)
    finally:
        writer.close()


def client_frame(opcode: int, payload: bytes, *, mask: bool = True, fin: bool = True, reserved: int = 0) -> bytes:
    """Return one frame of a client."""
    first = (0x80 if fin else 0) | reserved << 4 | opcode
    bit = 0x80 if mask else 0
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", first, bit | size)
    elif size < 65_536:
        head = struct.pack("!BBH", first, bit | 126, size)
    else:
        head = struct.pack("!BBQ", first, bit | 127, size)
    if not mask:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[i % 4] for i, byte in enumerate(payload))
