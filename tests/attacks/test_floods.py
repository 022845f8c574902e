"""Floods on the sockets of one player, and what a pair elsewhere notices of them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.attacks.control_pair import control_pair
from tests.support.raw_websocket import LOBBY_HELLO, PING, PONG, TEXT, client_frame, handshake
from tests.support.server import RunningServer

SOCKETS = 12
MOVE_MS = 100
"""A median below this is quick enough for a player, however quick it was before."""
COMMAND = client_frame(TEXT, json.dumps({"type": "ping", "id": "1"}).encode())
FLOODS = {
    "ping commands": 500 * COMMAND,
    "control pings": 2_000 * client_frame(PING, b""),
    "control pongs": 2_000 * client_frame(PONG, b""),
    "parts of no end": client_frame(TEXT, b"{", fin=False) + 2_000 * client_frame(0, b"", fin=False),
    "large frames": 20 * client_frame(TEXT, b"x" * 8_000),
}


async def flooding(server: RunningServer, flood: bytes) -> int | None:
    """Send as fast as the server reads. Return the close code; None if the server reads no more for a while."""
    async with handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO))
        closing = asyncio.create_task(client.close_code())
        while not closing.done():
            client.writer.write(flood)
            try:
                async with asyncio.timeout(1.0):
                    await client.writer.drain()
            except TimeoutError:
                closing.cancel()
                return None
            except ConnectionError:
                break
            await asyncio.sleep(0)
        return await closing


@pytest.fixture
def server(tmp_path: Path) -> RunningServer:
    """Return a server with the default limits, not started."""
    return RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "1"})


async def flood(server: RunningServer, name: str, moves: int) -> None:
    """Flood the server from one address while the pair plays."""
    server.start()
    try:
        async with control_pair(server) as pair:
            before = await pair.figures(moves)
            async with asyncio.TaskGroup() as group:
                floods = [group.create_task(flooding(server, FLOODS[name])) for _ in range(SOCKETS)]
                during = await pair.figures(moves)
            codes = [task.result() for task in floods]
            print(f"{name}: closed with {sorted(set(codes), key=str)}; before {before}; during {during}")
        assert set(codes) <= {4429, 1002, 1007, 1009, None}
        assert during.p50 <= max(MOVE_MS, 4 * before.p50)
    finally:
        server.kill()


@pytest.mark.parametrize("name", ["ping commands", "control pings"])
async def test_a_flood_is_cut_or_read_no_further(server: RunningServer, name: str) -> None:
    await flood(server, name, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", FLOODS)
async def test_no_flood_is_read_for_long(server: RunningServer, name: str) -> None:
    await flood(server, name, 300)
