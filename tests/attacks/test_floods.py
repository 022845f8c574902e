"""Floods on the sockets of one player, and what a pair elsewhere notices of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.control_pair import control_pair
from tests.attacks.flood import FLOODS, flooded
from tests.support.server import RunningServer

MOVE_MS = 50
"""A move this quick is quick enough for a player, however quick it was before."""


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
            async with flooded(server.url, name) as flooding:
                during = await pair.figures(moves)
                codes = await flooding
            print(f"{name}: closed with {sorted(set(codes), key=str)}; before {before}; during {during}")
        assert set(codes) <= {4429, 1002, 1007, 1009, None}
        assert during.p99 <= max(MOVE_MS, 2 * before.p99)
    finally:
        server.kill()


@pytest.mark.parametrize("name", ["ping commands", "control pings"])
async def test_a_flood_is_cut_or_read_no_further(server: RunningServer, name: str) -> None:
    await flood(server, name, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", FLOODS)
async def test_no_flood_is_read_for_long(server: RunningServer, name: str) -> None:
    await flood(server, name, 300)
