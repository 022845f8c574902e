"""Floods of requests that cost no credit, and what a pair elsewhere notices of them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from noughts.app.endpoints.request_turns import BEGUN_AT_ONCE, INTERVAL_S
from tests.attacks.control_pair import control_pair
from tests.attacks.request_flood import asking
from tests.support.server import RunningServer

MOVE_MS = 50
"""A move this quick is quick enough for a player, however quick it was before."""
SHORT, LONG = 1_600, 12_000
"""Answers that the flood gets: those of four seconds, and of thirty."""


@pytest.fixture
def server(tmp_path: Path) -> RunningServer:
    """Return a server with the default limits, not started."""
    return RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "1"})


async def flood(server: RunningServer, path: str, answers: int) -> None:
    server.start()
    try:
        async with control_pair(server) as pair:
            before = await pair.figures(20)
            began_s = time.monotonic()
            async with asking(server.url, path, answers) as answering:
                during = await pair.figures_until(answering)
                number = await answering
            rate = number / (time.monotonic() - began_s)
        print(f"{path}: {number} answers, {rate:.0f} a second; before {before}; during {during}")
        assert number >= answers
        assert rate <= BEGUN_AT_ONCE / INTERVAL_S
        assert during.failed == 0
        assert during.p90 <= max(MOVE_MS, 2 * before.p90)
        assert "Traceback" not in server.log, server.log
    finally:
        server.kill()


async def test_requests_without_credit_slow_nobody(server: RunningServer) -> None:
    await flood(server, "/favicon.ico", SHORT)


@pytest.mark.long
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/service-worker.js", "/admin/rooms"])
async def test_a_long_flood_of_requests_slows_nobody(server: RunningServer, path: str) -> None:
    await flood(server, path, LONG)
