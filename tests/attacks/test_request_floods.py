"""Floods of requests that cost no credit, and what a pair elsewhere notices of them."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from noughts.app.endpoints.request_turns import BEGUN_AT_ONCE, INTERVAL_S
from tests.attacks.control_pair import control_pair, slows_nobody
from tests.attacks.request_flood import asking
from tests.support.server import RunningServer

SHORT, LONG = 1_600, 12_000
"""Answers that the flood gets: those of four seconds, and of thirty."""


@pytest.fixture
def server(tmp_path: Path) -> RunningServer:
    """Return a server with the default limits, not started."""
    return RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "1"})


async def flood(server: RunningServer, path: str, answers: int) -> tuple[float, float]:
    """Flood the server while the pair plays. Return how long its slow moves take before and meanwhile."""
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
        assert "Traceback" not in server.log, server.log
        return before.p90, during.p90
    finally:
        server.kill()


async def test_requests_without_credit_slow_nobody(server: RunningServer) -> None:
    assert await slows_nobody(partial(flood, server, "/favicon.ico", SHORT))


@pytest.mark.long
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/service-worker.js", "/admin/rooms"])
async def test_a_long_flood_of_requests_slows_nobody(server: RunningServer, path: str) -> None:
    assert await slows_nobody(partial(flood, server, path, LONG))
