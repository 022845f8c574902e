"""The search pool and the analyses: queues that are bounded, searches that nobody makes twice, processes that die."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from noughts.app import analysis
from noughts.app.analysis import Analyses
from noughts.app.thinking import MAX_QUEUE, MAX_WAITING_ANALYSES, Pool
from noughts.engine.engine import AnalysedPly
from noughts.engine.verdict import UNKNOWN, Verdict
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
    """Kill its processes, and wait until they have let go of everything."""
    for process in list(pool._pool._processes.values()):
        os.kill(process.pid, signal.SIGKILL)
        with suppress(ChildProcessError):  # the pool has seen it first
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


class Held:
    """A search that runs until it is let go: it reads a pipe, and the pipe tells whether somebody has it open."""

    def __init__(self, path):
        os.mkfifo(path)
        self.search = (Path.read_text, path)
        self._path = path
        self._writers = []

    async def runs(self):
        """Wait until a process is at it; after one has died, until the next is."""
        async with asyncio.timeout(WAIT_S):
            while True:
                try:
                    self._writers.append(os.open(self._path, os.O_WRONLY | os.O_NONBLOCK))
                    return
                except OSError as error:
                    if error.errno != errno.ENXIO:  # nobody reads
                        raise
                await asyncio.sleep(0.005)

    def let_go(self):
        while self._writers:
            os.close(self._writers.pop())


@pytest.fixture
def held(tmp_path):
    held = Held(tmp_path / "held")
    yield held
    held.let_go()


async def waiting_are(pool, number):
    """Wait until so many searches are in the queue."""
    async with asyncio.timeout(WAIT_S):
        while pool.waiting != number:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)


async def test_searches_wait_for_a_free_process_the_urgent_ones_first(pool, held):
    first = asyncio.create_task(pool.run(WAIT_S, *held.search))
    await held.runs()
    order = []

    async def ask(name, *, urgent):
        await pool.run(WAIT_S, os.getpid, urgent=urgent)
        order.append(name)

    async with asyncio.TaskGroup() as group:
        for name, urgent in (("analysis", False), ("move", True), ("another analysis", False), ("another move", True)):
            group.create_task(ask(name, urgent=urgent))
        await waiting_are(pool, 4)
        assert (pool.busy, order) == (1, [])
        held.let_go()
    await first
    assert order == ["move", "another move", "analysis", "another analysis"]
    assert (pool.busy, pool.waiting) == (0, 0)


@pytest.mark.parametrize(("urgent", "most"), [(True, MAX_QUEUE), (False, MAX_WAITING_ANALYSES)])
async def test_a_full_queue_says_unavailable(pool, held, urgent, most):
    first = asyncio.create_task(pool.run(WAIT_S, *held.search))
    await held.runs()
    waiting = [asyncio.create_task(pool.run(WAIT_S, os.getpid, urgent=urgent)) for _ in range(most)]
    await waiting_are(pool, most)
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(Rejection) as refused:
            await pool.run(WAIT_S, os.getpid, urgent=urgent)
    assert (refused.value.code, refused.value.retry_ms is not None) == ("unavailable", True)
    assert pool.waiting == most
    held.let_go()
    await asyncio.gather(first, *waiting)


async def test_a_search_that_nobody_needs_leaves_the_queue(pool, held):
    first = asyncio.create_task(pool.run(WAIT_S, *held.search))
    await held.runs()
    waiting = [asyncio.create_task(pool.run(WAIT_S, time.sleep, 2 * WAIT_S)) for _ in range(20)]
    await waiting_are(pool, 20)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert pool.waiting == 0
    held.let_go()
    await first
    async with asyncio.timeout(WAIT_S):
        assert await pool.run(WAIT_S, os.getpid) > 0


async def test_who_waits_too_long_is_told(pool, held):
    first = asyncio.create_task(pool.run(WAIT_S, *held.search))
    await held.runs()
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(Rejection) as refused:
            await pool.run(WAIT_S, os.getpid, urgent=False, wait_s=0.05)
    assert refused.value.code == "unavailable"
    assert (pool.busy, pool.waiting) == (1, 0)
    held.let_go()
    await first
    assert await pool.run(WAIT_S, os.getpid) > 0


async def test_a_process_killed_at_work_costs_one_retry(pool, held):
    before = await pool.run(WAIT_S, os.getpid)
    search = asyncio.create_task(pool.run(WAIT_S, *held.search))
    await held.runs()
    kill(pool)
    await held.runs()
    held.let_go()
    await search
    assert await pool.run(WAIT_S, os.getpid) != before
    assert (pool.restarts, pool.busy) == (1, 0)


async def test_a_process_killed_while_idle_costs_nobody_anything(pool):
    kill(pool)
    await asyncio.sleep(0.2)
    assert await pool.run(WAIT_S, os.getpid) > 0
    assert pool.restarts == 1


async def test_a_search_whose_process_dies_twice_is_unavailable_and_the_pool_goes_on(pool):
    with pytest.raises(Rejection) as refused:
        await pool.run(WAIT_S, os._exit, 1)
    assert refused.value.code == "unavailable"
    assert await pool.run(WAIT_S, os.getpid) > 0
    assert pool.busy == 0


async def test_one_process_of_several_stays_free_of_analyses(held):
    pool = Pool(2)
    await pool.start()
    try:
        first = asyncio.create_task(pool.run(WAIT_S, *held.search, urgent=False))
        await held.runs()
        others = [asyncio.create_task(pool.run(WAIT_S, os.getpid, urgent=False)) for _ in range(2)]
        await waiting_are(pool, 2)
        assert pool.busy == 1
        async with asyncio.timeout(WAIT_S):
            assert await pool.run(WAIT_S, os.getpid) > 0  # at once
        assert (pool.waiting, first.done()) == (2, False)
        held.let_go()
        await asyncio.gather(first, *others)
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
        self.verdict = Verdict("draw", None, "exact")

    async def run(self, seconds, search, *args, urgent=True, wait_s=None):
        self.searches += 1
        assert not urgent
        assert seconds + (wait_s or 0) < 10
        await self.go.wait()
        if self.fails:
            raise Rejection("unavailable", "busy")
        return [AnalysedPly(0, "X", self.verdict, (0, 8))]


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


async def test_what_was_left_unknown_is_searched_again_after_a_while(monkeypatch):
    monkeypatch.setattr(analysis, "UNKNOWN_KEPT_S", 0.0)
    pool = CountingPool()
    pool.go.set()
    pool.verdict = UNKNOWN  # as when another program took the processor
    analyses = Analyses(pool)
    assert (await analyses.of(CLASSIC, (4,)))[0].verdict.value == "unknown"
    async with asyncio.timeout(WAIT_S):
        while analyses.known(CLASSIC, (4,)):  # noqa: ASYNC110 - nobody is told that it was forgotten
            await asyncio.sleep(0)
    pool.verdict = Verdict("draw", None, "exact")
    assert (await analyses.of(CLASSIC, (4,)))[0].verdict.value == "draw"
