"""The search pool and the analyses: queues that are bounded, searches that nobody makes twice, processes that die."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import pytest

from noughts.app.analysis import Analyses
from noughts.app.thinking import MAX_QUEUE, MAX_WAITING_ANALYSES, Pool
from noughts.engine.engine import AnalysedPly
from noughts.engine.verdict import Verdict
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS
from tests.player import WAIT_S

CLASSIC = VARIANTS["classic"]


@pytest.fixture
async def pool():
    pool = Pool(1)
    await pool.start()
    yield pool
    pool.stop()


def kill(pool):
    for process in list(pool._pool._processes.values()):
        os.kill(process.pid, signal.SIGKILL)


async def started(pool):
    """Wait until a search runs."""
    async with asyncio.timeout(WAIT_S):
        while not pool.busy:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


async def test_searches_wait_for_a_free_process_the_urgent_ones_first(pool):
    first = asyncio.create_task(pool.run(5, time.sleep, 0.3))
    await started(pool)
    order = []

    async def ask(name, *, urgent):
        await pool.run(5, os.getpid, urgent=urgent)
        order.append(name)

    async with asyncio.TaskGroup() as group:
        for name, urgent in (("analysis", False), ("move", True), ("another analysis", False), ("another move", True)):
            group.create_task(ask(name, urgent=urgent))
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        assert pool.waiting == 4
    await first
    assert order == ["move", "another move", "analysis", "another analysis"]
    assert (pool.busy, pool.waiting) == (0, 0)


@pytest.mark.parametrize(("urgent", "most"), [(True, MAX_QUEUE), (False, MAX_WAITING_ANALYSES)])
async def test_a_full_queue_says_unavailable(pool, urgent, most):
    first = asyncio.create_task(pool.run(5, time.sleep, 0.5))
    await started(pool)
    waiting = [asyncio.create_task(pool.run(5, os.getpid, urgent=urgent)) for _ in range(most)]
    await asyncio.sleep(0.05)
    with pytest.raises(Rejection) as refused:
        await pool.run(5, os.getpid, urgent=urgent)
    assert (refused.value.code, refused.value.retry_ms is not None) == ("unavailable", True)
    await asyncio.gather(first, *waiting)


async def test_a_search_that_nobody_needs_leaves_the_queue(pool):
    first = asyncio.create_task(pool.run(5, time.sleep, 0.3))
    await started(pool)
    waiting = [asyncio.create_task(pool.run(5, time.sleep, 30)) for _ in range(20)]
    await asyncio.sleep(0.05)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert pool.waiting == 0
    await first
    assert await pool.run(5, os.getpid) > 0


async def test_who_waits_too_long_is_told(pool):
    first = asyncio.create_task(pool.run(5, time.sleep, 0.5))
    await started(pool)
    with pytest.raises(Rejection) as refused:
        await pool.run(5, os.getpid, urgent=False, wait_s=0.05)
    assert refused.value.code == "unavailable"
    await first
    assert pool.waiting == 0
    assert await pool.run(5, os.getpid) > 0


async def test_a_process_killed_at_work_costs_one_retry(pool):
    before = await pool.run(5, os.getpid)
    search = asyncio.create_task(pool.run(5, time.sleep, 0.3))
    await started(pool)
    kill(pool)
    await search
    assert await pool.run(5, os.getpid) != before
    assert (pool.restarts, pool.busy) == (1, 0)


async def test_a_process_killed_while_idle_costs_nobody_anything(pool):
    kill(pool)
    await asyncio.sleep(0.2)
    assert await pool.run(5, os.getpid) > 0
    assert pool.restarts == 1


async def test_a_search_whose_process_dies_twice_is_unavailable_and_the_pool_goes_on(pool):
    with pytest.raises(Rejection) as refused:
        await pool.run(5, os._exit, 1)
    assert refused.value.code == "unavailable"
    assert await pool.run(5, os.getpid) > 0
    assert pool.busy == 0


async def test_one_process_of_several_stays_free_of_analyses():
    pool = Pool(2)
    await pool.start()
    try:
        analyses = [asyncio.create_task(pool.run(5, time.sleep, 0.5, urgent=False)) for _ in range(3)]
        await asyncio.sleep(0.1)
        assert (pool.busy, pool.waiting) == (1, 2)
        assert await pool.run(5, os.getpid) > 0  # at once
        assert pool.waiting == 2
        await asyncio.gather(*analyses)
        assert (pool.busy, pool.waiting) == (0, 0)
    finally:
        pool.stop()


# --- analyses -----------------------------------------------------------------------------------------------------


class CountingPool(Pool):
    """Answers any analysis, when it is let."""

    def __init__(self):
        super().__init__(1)
        self.searches = 0
        self.go = asyncio.Event()
        self.fails = False

    async def run(self, seconds, search, *args, urgent=True, wait_s=None):
        self.searches += 1
        assert not urgent
        assert seconds + (wait_s or 0) < 10
        await self.go.wait()
        if self.fails:
            raise Rejection("unavailable", "busy")
        return [AnalysedPly(0, "X", Verdict("draw", None, "exact"), (0, 8))]


async def test_the_same_analysis_is_searched_once():
    pool = CountingPool()
    analyses = Analyses(pool)
    assert not analyses.known(CLASSIC, (4,))
    asked = [asyncio.create_task(analyses.of(CLASSIC, (4,))) for _ in range(10)]
    await asyncio.sleep(0)
    asked[0].cancel()  # who goes away takes it from nobody else
    await asyncio.sleep(0)
    pool.go.set()
    told = await asyncio.gather(*asked[1:])
    assert all(answer == told[0] for answer in told)
    assert told[0][0].best == ("a1", "c3")
    assert analyses.known(CLASSIC, (4,))
    await analyses.of(CLASSIC, (4,))
    assert pool.searches == 1
    await analyses.of(CLASSIC, (0,))
    await analyses.of(VARIANTS["misere"], (4,))
    assert pool.searches == 3


async def test_an_analysis_that_failed_is_tried_again():
    pool = CountingPool()
    pool.go.set()
    pool.fails = True
    analyses = Analyses(pool)
    with pytest.raises(Rejection):
        await analyses.of(CLASSIC, (4,))
    pool.fails = False
    await asyncio.sleep(0)
    assert (await analyses.of(CLASSIC, (4,)))[0].verdict.value == "draw"
    assert pool.searches == 2
