"""The search pool with real workers: they are killed, stopped and cancelled as they search."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from noughts.app.search.pool import SearchFaultError, SearchPool
from noughts.app.search.worker_process import WorkerProcess
from noughts.engine.verdict import Verdict
from noughts.errors import Rejection
from noughts.rules.variant import Variant
from tests.support.player import WAIT_S
from tests.support.searching import ANN, CLASSIC, endless_move, is_alive, quick_move
from tests.support.waiting import until


@asynccontextmanager
async def started(workers: int, idle_s: float | None = None, late_s: float = WAIT_S) -> AsyncIterator[SearchPool]:
    """Start a pool in which no worker counts as hanging, however busy this machine is, unless a test says otherwise."""
    pool = SearchPool(workers, idle_s=idle_s, late_s=late_s)
    async with asyncio.timeout(WAIT_S):
        await pool.start()
    try:
        yield pool
    finally:
        async with asyncio.timeout(WAIT_S):
            await pool.stop()


@pytest.fixture
async def pool() -> AsyncIterator[SearchPool]:
    """One worker."""
    async with started(1) as pool:
        yield pool


@asynccontextmanager
async def searching(pool: SearchPool) -> AsyncIterator[asyncio.Task[object]]:
    """Keep one worker busy; cancel its search at the end."""
    before = pool.busy
    search = asyncio.create_task(endless_move(pool))
    await until(lambda: pool.busy == before + 1)
    yield search
    search.cancel()
    await asyncio.wait((search,))


# --- searches -------------------------------------------------------------------------------------------------------


async def test_each_kind_of_search_returns_its_value(pool: SearchPool) -> None:
    """Also for a variant that only this process knows."""
    choice = await pool.move(CLASSIC, (4, 1, 0, 8), "perfect", 1.0, 1, ANN)
    assert choice.cell in (3, 6)
    assert choice.verdict == Verdict("win", 3, "exact")
    assert await pool.verdict(CLASSIC, (4, 1), 1.0, ANN) == Verdict("win", 5, "exact")
    plies = await pool.analysis(Variant("2x2", "Two", "Two win.", (2, 2), 2), (0,), 1.0, WAIT_S, ANN)
    assert [(ply.ply, ply.turn) for ply in plies] == [(0, "X"), (1, "O")]
    assert plies[1].verdict == Verdict("loss", 2, "exact")


async def test_a_rejection_of_the_engine_is_raised(pool: SearchPool) -> None:
    with pytest.raises(Rejection) as caught:
        await pool.analysis(CLASSIC, (4, 4), 1.0, WAIT_S, ANN)
    assert (caught.value.code, caught.value.ply) == ("illegal_move", 1)


async def test_a_fault_of_the_engine_is_raised_with_its_traceback(pool: SearchPool) -> None:
    with pytest.raises(SearchFaultError, match="the game is over"):
        await pool.move(CLASSIC, (0, 3, 1, 4, 2), "perfect", 1.0, 1, ANN)
    await quick_move(pool)
    assert pool.restarts == 0


# --- the queue ------------------------------------------------------------------------------------------------------


async def test_a_running_search_becomes_shorter_when_others_come(pool: SearchPool) -> None:
    """It has two minutes. The search beside it may begin long before they are over."""
    search = asyncio.create_task(endless_move(pool, 120.0))
    await until(lambda: pool.busy == 1)
    verdict = asyncio.create_task(pool.verdict(CLASSIC, (4,), 0.1, ANN))
    crowd = [asyncio.create_task(pool.verdict(CLASSIC, (4,), 0.1, ANN)) for _ in range(1_000)]
    async with asyncio.timeout(WAIT_S):
        assert (await search).cell != 40
        await asyncio.gather(verdict, *crowd)
    assert pool.restarts == 0


async def test_workers_start_on_demand_and_end_when_idle() -> None:
    """None runs before the first search. One comes for each search that waits, and each ends without being replaced."""
    async with started(2, idle_s=0.05) as pool:
        assert pool.pids == ()
        await quick_move(pool)
        await until(lambda: pool.pids == ())
        async with searching(pool), searching(pool):
            await until(lambda: len(pool.pids) == 2)
        await until(lambda: pool.pids == ())
        assert pool.restarts == 0


# --- cancelled ------------------------------------------------------------------------------------------------------


async def test_a_worker_that_does_not_end_a_cancelled_search_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing could tell that a signal has stopped it."""
    monkeypatch.setattr(WorkerProcess, "stopped", False)
    async with started(1, late_s=0.05) as pool:
        (pid,) = pool.pids
        async with searching(pool):
            os.kill(pid, signal.SIGSTOP)
        await until(lambda: pool.restarts == 1)
        pool.late_s = WAIT_S
        await quick_move(pool)
        assert pid not in pool.pids
        assert not is_alive(pid)


# --- lost -----------------------------------------------------------------------------------------------------------


async def test_a_worker_killed_at_work_costs_one_retry(pool: SearchPool) -> None:
    (pid,) = pool.pids
    search = asyncio.create_task(endless_move(pool, 0.5))
    await until(lambda: pool.busy == 1)
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(WAIT_S):
        choice = await search
    assert choice.cell != 40
    assert (pool.restarts, pool.busy) == (1, 0)
    assert pid not in pool.pids


async def test_a_search_whose_worker_dies_twice_is_unavailable(pool: SearchPool) -> None:
    async with searching(pool) as search:
        for deaths in (1, 2):
            await until(lambda: pool.busy == 1)
            os.kill(pool.pids[0], signal.SIGKILL)
            await until(lambda deaths=deaths: pool.restarts == deaths)  # type: ignore[misc]
        async with asyncio.timeout(WAIT_S):
            with pytest.raises(Rejection) as caught:
                await search
    assert (caught.value.code, caught.value.retry_ms) == ("unavailable", 1_000)
    await quick_move(pool)
    assert pool.busy == 0


async def test_a_worker_that_cannot_start_is_tried_again() -> None:
    """The searches wait meanwhile. Each pause between two tries is longer than the last: 0, 0.1 and 0.3 s."""
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    pool = SearchPool(1, late_s=WAIT_S, start_s=0.0)
    start = asyncio.create_task(pool.start())
    search = asyncio.create_task(quick_move(pool))
    try:
        await until(lambda: pool.restarts >= 4)
        assert loop.time() - began_s >= 0.39
        assert not start.done()
        pool.start_s = WAIT_S
        async with asyncio.timeout(WAIT_S):
            await search
            await start
    finally:
        await pool.stop()
        await asyncio.wait((search,))


# --- the end --------------------------------------------------------------------------------------------------------


async def test_stop_ends_every_worker_at_once() -> None:
    """With a search that runs and one that waits: both are unavailable, as is every later one."""
    async with started(1) as pool:
        pids = pool.pids
        searches = [asyncio.create_task(endless_move(pool)) for _ in range(2)]
        await until(lambda: (pool.busy, pool.waiting) == (1, 1))
        async with asyncio.timeout(WAIT_S):
            await pool.stop()
        assert not any(map(is_alive, pids))
        for search in (*searches, endless_move(pool)):
            async with asyncio.timeout(WAIT_S):
                with pytest.raises(Rejection) as caught:
                    await search
            assert caught.value.code == "unavailable"
        assert (pool.pids, pool.busy, pool.waiting) == ((), 0, 0)


async def test_a_pool_can_be_stopped_as_it_starts() -> None:
    for turns in range(0, 12, 2):
        pool = SearchPool(2)
        start = asyncio.create_task(pool.start())
        for _ in range(turns):
            await asyncio.sleep(0)
        pids = pool.pids
        async with asyncio.timeout(WAIT_S):
            await pool.stop()
            start.cancel()
            await asyncio.wait((start,))
        assert not any(map(is_alive, pids))
