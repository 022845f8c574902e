"""The reading side of a WebSocket, against a client that sends frame by frame."""

from __future__ import annotations

import asyncio

from tests.support.local_server import LocalServer
from tests.support.player import WAIT_S
from tests.support.raw_websocket import CLOSE, LOBBY_HELLO, TEXT, client_frame, handshake

NONSENSE = client_frame(TEXT, b"nonsense")


async def test_the_server_waits_for_the_clients_close_frame(server: LocalServer) -> None:
    """A transport that is closed too early resets the connection, and a client that still sends loses our close code."""
    async with handshake(server) as socket:
        socket.writer.write(client_frame(TEXT, LOBBY_HELLO) + 20 * NONSENSE)
        assert await socket.close_code() == 4429
        socket.writer.write(NONSENSE)
        for _ in range(100):
            await asyncio.sleep(0)
        assert not socket.reader.at_eof()
        socket.writer.write(client_frame(CLOSE, (4429).to_bytes(2, "big")))
        async with asyncio.timeout(WAIT_S):
            assert await socket.reader.read() == b""
