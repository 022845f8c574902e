"""One heap of times, and one task that waits for the nearest."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.machines.deadlines import Deadlines
from tests.support.loop_errors import loop_errors
from tests.support.manual_clock import ManualClock
from tests.support.player import WAIT_S
from tests.support.virtual_time import in_virtual_time

YEAR_MS = 365 * 86_400_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def deadlines(clock: ManualClock) -> Deadlines:
    return Deadlines(clock)


async def turns() -> None:
    """Let other tasks run as far as they can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_keys_come_at_their_time_the_earliest_first(clock: ManualClock, deadlines: Deadlines) -> None:
    for key, in_ms in (("c", 3), ("a", 1), ("b", 2), ("later", 4)):
        deadlines.set(key, clock.ms + in_ms)
    clock.ms += 3
    assert await deadlines.reached() == ["a", "b", "c"]
    assert (len(deadlines), deadlines.at_ms.get("a"), deadlines.at_ms.get("later")) == (1, None, clock.ms + 1)


async def test_a_key_has_one_time(clock: ManualClock, deadlines: Deadlines) -> None:
    deadlines.set("moved", clock.ms)
    deadlines.set("moved", clock.ms + 10)
    deadlines.set("dropped", clock.ms)
    deadlines.set("dropped", None)
    deadlines.set("unknown", None)
    deadlines.set("back", clock.ms + 10)
    deadlines.set("back", clock.ms)
    deadlines.set("same", clock.ms)
    deadlines.set("same", clock.ms)
    assert await deadlines.reached() == ["back", "same"]
    clock.ms += 10
    assert await deadlines.reached() == ["moved"]
    assert len(deadlines) == 0


async def test_who_waits_is_woken_by_a_nearer_deadline(clock: ManualClock, deadlines: Deadlines) -> None:
    deadlines.set("far", clock.ms + YEAR_MS)
    waiting = asyncio.create_task(deadlines.reached())
    await turns()
    deadlines.set("farther", clock.ms + 2 * YEAR_MS)
    await turns()
    assert not waiting.done()
    deadlines.set("now", clock.ms)
    async with asyncio.timeout(WAIT_S):
        assert await waiting == ["now"]


async def test_a_wait_that_was_cancelled_costs_no_deadline(clock: ManualClock, deadlines: Deadlines) -> None:
    waiting = asyncio.create_task(deadlines.reached())
    await turns()
    waiting.cancel()
    await asyncio.wait([waiting])
    deadlines.set("a", clock.ms)
    assert await deadlines.reached() == ["a"]


def test_a_timer_that_comes_with_a_nearer_deadline_wakes_nobody_twice() -> None:
    """Both are in one turn of the event loop: the deadline is set first, then the timer of the wait comes."""

    async def scenario() -> None:
        clock, loop = ManualClock(), asyncio.get_running_loop()
        deadlines = Deadlines(clock)
        deadlines.set("far", clock.ms + 1_000)
        waiting = asyncio.create_task(deadlines.reached())
        loop.call_at(1.0, deadlines.set, "now", clock.ms)
        await turns()
        with loop_errors() as errors:
            assert await waiting == ["now"]
        assert (loop.time(), errors) == (1.0, [])

    in_virtual_time(scenario())


async def test_deadlines_that_move_all_the_time_stay_right(clock: ManualClock, deadlines: Deadlines) -> None:
    """What was replaced is thrown away now and then; nothing that counts is."""
    for n in range(10_000):
        deadlines.set(f"key {n % 10}", clock.ms + 20_000 - n)
    assert len(deadlines) == 10
    clock.ms += 20_000
    assert await deadlines.reached() == [f"key {n}" for n in range(9, -1, -1)]


async def test_a_sooner_deadline_is_kept(clock: ManualClock) -> None:
    deadlines = Deadlines(clock)
    for at_ms, kept_ms in ((1_000, 1_000), (2_000, 1_000), (500, 500)):
        deadlines.set_sooner("r1", at_ms)
        assert deadlines.at_ms.get("r1") == kept_ms
