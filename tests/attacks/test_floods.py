"""Floods of frames, and of requests that cost no credit, and what a pair elsewhere notices of them."""

from __future__ import annotations

import time
from functools import partial

import pytest

from noughts.app.runtime.limits import BEGUN_AT_ONCE, INTERVAL_S
from tests.attacks.control_pair import control_pair, slows_nobody
from tests.attacks.flood import FLOODS, flooded
from tests.support.server import RunningServer


async def flood_of_frames(server: RunningServer, name: str, moves: int) -> tuple[float, float]:
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


async def test_a_flood_of_frames_slows_no_other_player(new_server: RunningServer) -> None:
    assert await slows_nobody(partial(flood_of_frames, new_server, "control pings", 20))


@pytest.mark.long
@pytest.mark.parametrize("name", FLOODS)
async def test_a_long_flood_of_frames_slows_no_other_player(new_server: RunningServer, name: str) -> None:
    assert await slows_nobody(partial(flood_of_frames, new_server, name, 300))


async def flood_of_requests(server: RunningServer, path: str, answers: int) -> tuple[float, float]:
    """Flood the server while the pair plays. Return how long its slow moves take before and meanwhile."""
    server.start()
    try:
        async with control_pair(server) as pair:
            before = await pair.figures(20)
            began_s = time.monotonic()
            async with flooded(server.url, path, str(answers)) as answering:
                during = await pair.figures_until(answering)
                number = await answering
            rate = number / (time.monotonic() - began_s)
        print(f"{path}: {number} answers, {rate:.0f} a second; before {before}; during {during}")
        assert number >= answers
        assert rate <= BEGUN_AT_ONCE / INTERVAL_S
        assert during.failed == 0
        assert "Traceback" not in server.log, server.log
        return before.p90, during.p90
    finally:
        server.kill()


async def test_a_flood_of_free_requests_slows_no_other_player(new_server: RunningServer) -> None:
    """For two seconds."""
    assert await slows_nobody(partial(flood_of_requests, new_server, "/favicon.ico", 800))


@pytest.mark.long
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/service-worker.js", "/admin/rooms"])
async def test_a_long_flood_of_free_requests_slows_no_other_player(new_server: RunningServer, path: str) -> None:
    """For half a minute."""
    assert await slows_nobody(partial(flood_of_requests, new_server, path, 12_000))
