"""Floods on the sockets of one player, and what a pair elsewhere notices of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.attacks.control_pair import control_pair, slows_nobody
from tests.attacks.flood import FLOODS, flooded
from tests.support.server import RunningServer


@pytest.fixture
def server(tmp_path: Path) -> RunningServer:
    """Return a server with the default limits, not started."""
    return RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "1"})


async def flood(server: RunningServer, name: str, moves: int) -> tuple[float, float]:
    """Flood the server from one address while the pair plays. Return how long its slow moves take before and meanwhile."""
    server.start()
    try:
        async with control_pair(server) as pair:
            before = await pair.figures(moves)
            async with flooded(server.url, name) as flooding:
                during = await pair.figures(moves)
                codes = await flooding
            print(f"{name}: closed with {sorted(set(codes), key=str)}; before {before}; during {during}")
        assert set(codes) <= {4429, 1002, 1007, 1009, None}
        return before.p99, during.p99
    finally:
        server.kill()


@pytest.mark.parametrize("name", ["ping commands", "control pings"])
async def test_a_flood_is_cut_or_read_no_further(server: RunningServer, name: str) -> None:
    assert await slows_nobody(partial(flood, server, name, 20))


@pytest.mark.long
@pytest.mark.parametrize("name", FLOODS)
async def test_no_flood_is_read_for_long(server: RunningServer, name: str) -> None:
    assert await slows_nobody(partial(flood, server, name, 300))
