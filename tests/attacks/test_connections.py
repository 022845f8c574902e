"""Hoards of connections from one address, against a server with 1,024 descriptors."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.attacks.control_pair import control_pair
from tests.attacks.crowd import crowd
from tests.support.raw_websocket import LOBBY_HELLO, TEXT, client_frame
from tests.support.server import RunningServer

NEWCOMER_MS = 1_000
"""A newcomer is served so soon, or on a busy machine within ten times what a newcomer takes before."""
LOG_LINES = 12
HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


class Hoard(NamedTuple):
    """What each connection sends, what it repeats, whether it reads, and whether it holds what it opened.

    The requests of a hoard that asks for files run out of credit, and a rejected request closes its connection.
    """

    request: bytes
    more: bytes = b""
    reads: bool = True
    holds: bool = True


HOARDS = {
    "half bodies": Hoard(b"POST /api/players HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n"
                         b"Content-Type: application/json\r\n\r\n{"),
    "silent sockets": Hoard(b""),
    "half heads": Hoard(b"GET / HTTP/1.1\r\nX: ", b"x"),
    "answers not read": Hoard(40 * b"GET /static/old/js/texts/en.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                              reads=False, holds=False),
    "no hello": Hoard(HANDSHAKE),
    "lobby": Hoard(HANDSHAKE + client_frame(TEXT, LOBBY_HELLO)),
}  # fmt: skip


async def hoard(server: RunningServer, name: str, opened: int, moves: int) -> None:
    """Let a crowd take what it can, and newcomers elsewhere come meanwhile."""
    request, more, reads, holds = HOARDS[name]
    server.start("prlimit", "--nofile=1024:1024")
    try:
        async with control_pair(server) as pair:
            before = await pair.figures(20)
            async with crowd(server, request, more=more, reads=reads) as people:
                await people.until_opened(opened)
                during = await pair.figures(moves)
                print(f"{name}: {people.opened} opened; before {before}; during {during}")
            assert during.failed == 0
            assert during.newcomer <= max(NEWCOMER_MS, 10 * before.newcomer)
        lines = [line for line in server.log.splitlines() if "the server stood still" not in line]
        assert len(lines) <= LOG_LINES, server.log
        if holds:
            assert "a connection is rejected" in server.log
    finally:
        server.kill()


async def test_one_network_cannot_take_all_connections(new_server: RunningServer) -> None:
    await hoard(new_server, "half bodies", opened=950, moves=20)


@pytest.mark.long
@pytest.mark.parametrize("name", HOARDS)
async def test_one_network_cannot_take_all_connections_for_long(new_server: RunningServer, name: str) -> None:
    await hoard(new_server, name, opened=2_500, moves=500)
