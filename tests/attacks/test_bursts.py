"""Bursts of requests from one address: what they cost a pair elsewhere in time, and the server in memory and rows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import pytest

from noughts.app.runtime.limits import GUESTS, MAX_ROOMS_OF_ADDRESS
from noughts.store.sqlite.changes import LINES_LOADED
from tests.attacks.bursts import AT_ONCE, BURSTS, bursting
from tests.attacks.control_pair import GAME, Figures, control_pair, slows_nobody
from tests.support.footprint import Footprint, footprint, largest
from tests.support.player import WAIT_S
from tests.support.server import RunningServer

GROWTH_MIB: Final = 32
"""What a burst may leave in memory: rooms and names that are kept for a while."""
ROWS_OF_ROOM: Final = 2
"""A room, and its owner's seat."""
ROWS_OF_GUEST: Final = 2
"""A guest, and the hash of a token."""
FAULTS: Final = {"500", "503", "internal", "unavailable", "1011"}


def rows_of(kinds: Sequence[str], count: int, seconds: float) -> float:
    """Return how many rows bursts of some seconds may leave: their guests and rooms, and what the limits allow."""
    rows = 0.0
    for kind in kinds:
        rooms, guests = AT_ONCE, AT_ONCE
        if kind in ("rooms", "renames"):
            rooms = min(count, MAX_ROOMS_OF_ADDRESS)
        elif kind == "guests":
            guests = min(count, int(GUESTS.rate.burst + GUESTS.rate.per_s * seconds) + 1)
        rows += ROWS_OF_ROOM * rooms + ROWS_OF_GUEST * guests + (LINES_LOADED if kind == "chat" else 0)
    return rows


def rows_of_pair(figures: Figures) -> float:
    """Return how many rows the pair and the newcomers may leave."""
    return figures.moves // len(GAME) + 1 + ROWS_OF_GUEST * figures.newcomers


async def footprints(server: RunningServer, samples: list[Footprint]) -> None:
    """Take a sample now and then, until cancelled."""
    while True:
        samples.append(footprint(server))
        await asyncio.sleep(0.2)


async def bursts(server: RunningServer, kinds: Sequence[str], count: int, moves: int) -> tuple[Figures, Figures]:
    """Send bursts while the pair plays. Return the figures of the pair, before and meanwhile."""
    server.start()
    try:
        async with control_pair(server) as pair:
            calm = await pair.figures(moves)
            before = footprint(server)
            samples = [before]
            sampling = asyncio.create_task(footprints(server, samples))
            began_s = time.monotonic()
            try:
                async with bursting(server.url, kinds, count) as answering:
                    during = await pair.figures_until(answering)
                    answers = await answering
                seconds = time.monotonic() - began_s
                async with asyncio.timeout(WAIT_S):
                    while samples[-1].descriptors > before.descriptors:  # noqa: ASYNC110 - another process closes them
                        await asyncio.sleep(0.1)
            finally:
                sampling.cancel()
                await asyncio.wait([sampling])
    finally:
        server.kill()
    after = samples[-1]
    print(
        f"{count} of each in {seconds:.1f} s {answers}: pair before {calm}; during {during}."
        f" Server before {before}; during {largest(samples)}; after {after}"
    )
    for kind, numbers in answers.items():
        assert sum(numbers.values()) >= 0.9 * count, kind
        assert not FAULTS & numbers.keys(), kind
    assert during.failed == 0
    assert after.rows - before.rows <= rows_of(kinds, count, seconds) + rows_of_pair(during)
    assert after.resident_kib - before.resident_kib <= GROWTH_MIB * 1024
    assert "Traceback" not in server.log, server.log
    return calm, during


async def test_bursts_of_all_kinds_slow_no_other_player(new_server: RunningServer) -> None:
    async def attack() -> tuple[float, float]:
        calm, during = await bursts(new_server, list(BURSTS), 60, 20)
        return calm.p90, during.p90

    assert await slows_nobody(attack)


@pytest.mark.long
@pytest.mark.parametrize("kind", BURSTS)
async def test_a_burst_of_a_thousand_slows_no_other_player(new_server: RunningServer, kind: str) -> None:
    async def attack() -> tuple[float, float]:
        calm, during = await bursts(new_server, [kind], 1_000, 100)
        return calm.p99, during.p99

    assert await slows_nobody(attack)
