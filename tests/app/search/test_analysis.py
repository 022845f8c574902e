"""Analyses for HTTP: searched once for all callers, kept, searched again, cancelled when no caller is left."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.search.analysis import Analyses
from noughts.app.search.pool import SearchPool
from noughts.app.search.search import Caller
from noughts.app.search.worker_process import WorkerProcess
from noughts.engine.verdict import UNKNOWN, AnalysedPly, Verdict
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS, Variant
from tests.support.player import WAIT_S
from tests.support.searching import ANN, ULTIMATE
from tests.support.waiting import until

CLASSIC = VARIANTS["classic"]


class CountingPool(SearchPool):
    """Counts the analyses and answers them all once ``go`` is set."""

    def __init__(self) -> None:
        super().__init__(1)
        self.searches = 0
        self.cancelled = 0
        self.go = asyncio.Event()
        self.fails = False
        self.result = Verdict("draw", None, "exact")

    async def analysis(
        self, variant: Variant, cells: tuple[int, ...], seconds: float, wait_s: float, caller: Caller
    ) -> list[AnalysedPly]:
        self.searches += 1
        assert seconds <= wait_s < 10  # the contract's time for the answer
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.fails:
            raise Rejection("unavailable", "busy")
        return [AnalysedPly(0, "X", self.result, (0, 8))]


async def value_of(analyses: Analyses, cells: tuple[int, ...] = (4,)) -> str | None:
    (position,) = await analyses.positions(CLASSIC, cells, ANN)
    return None if position.verdict is None else position.verdict.value


async def test_the_same_analysis_is_searched_once() -> None:
    """A caller that is cancelled takes the search from no other caller."""
    pool = CountingPool()
    analyses = Analyses(pool)
    assert not analyses.is_kept(CLASSIC, (4,))
    callers = [asyncio.create_task(analyses.positions(CLASSIC, (4,), ANN)) for _ in range(10)]
    await asyncio.sleep(0)
    callers[0].cancel()
    await asyncio.sleep(0)
    pool.go.set()
    answers = await asyncio.gather(*callers[1:])
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0].best == ("a1", "c3")
    assert analyses.is_kept(CLASSIC, (4,))
    await analyses.positions(CLASSIC, (4,), ANN)
    assert pool.searches == 1
    await analyses.positions(CLASSIC, (0,), ANN)
    await analyses.positions(VARIANTS["misere"], (4,), ANN)
    assert pool.searches == 3


async def test_the_last_caller_takes_the_search_away() -> None:
    pool = CountingPool()
    analyses = Analyses(pool)
    callers = [asyncio.create_task(analyses.positions(CLASSIC, (4,), ANN)) for _ in range(2)]
    await asyncio.sleep(0)
    callers[0].cancel()
    await asyncio.wait(callers[:1])
    assert analyses.is_kept(CLASSIC, (4,))
    callers[1].cancel()
    await asyncio.wait(callers)
    assert not analyses.is_kept(CLASSIC, (4,))
    await until(lambda: pool.cancelled == 1)


async def test_a_caller_after_the_last_begins_anew() -> None:
    """It does not get the search that is just being cancelled."""
    pool = CountingPool()
    analyses = Analyses(pool)
    caller = asyncio.create_task(analyses.positions(CLASSIC, (4,), ANN))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    later_caller = asyncio.create_task(value_of(analyses))
    pool.go.set()
    assert await later_caller == "draw"
    assert caller.cancelled()
    assert (pool.searches, pool.cancelled) == (2, 1)
    assert analyses.is_kept(CLASSIC, (4,))


async def test_an_analysis_that_failed_is_tried_again() -> None:
    pool = CountingPool()
    pool.go.set()
    pool.fails = True
    analyses = Analyses(pool)
    with pytest.raises(Rejection):
        await value_of(analyses)
    pool.fails = False
    await until(lambda: not analyses.is_kept(CLASSIC, (4,)))
    assert await value_of(analyses) == "draw"
    assert pool.searches == 2


async def test_an_unknown_verdict_is_kept_for_a_while() -> None:
    """Another program may have taken the processor: a later search may prove more."""
    pool = CountingPool()
    pool.go.set()
    pool.result = UNKNOWN
    analyses = Analyses(pool, unknown_kept_s=0.0)
    assert await value_of(analyses) == "unknown"
    await until(lambda: not analyses.is_kept(CLASSIC, (4,)))
    pool.result = Verdict("draw", None, "exact")
    assert await value_of(analyses) == "draw"


async def test_the_oldest_analyses_are_dropped() -> None:
    pool = CountingPool()
    pool.go.set()
    analyses = Analyses(pool)
    games = [(first, second, third) for first in range(9) for second in range(9) for third in range(9)][:513]
    for cells in games:
        await analyses.positions(CLASSIC, cells, ANN)
        assert analyses.is_kept(CLASSIC, games[0])
        await analyses.positions(CLASSIC, games[0], ANN)
    await until(lambda: not analyses.is_kept(CLASSIC, games[1]))
    assert all(analyses.is_kept(CLASSIC, cells) for cells in (games[0], games[2], games[-1]))


async def test_as_many_analyses_become_shorter_as_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the time is left to the one that waits. The other worker goes on."""
    limits: list[float] = []
    monkeypatch.setattr(WorkerProcess, "limit", lambda process, request, seconds: limits.append(seconds))
    pool = SearchPool(2)
    reviews: list[asyncio.Task[list[AnalysedPly]]] = []
    async with asyncio.timeout(WAIT_S):
        await pool.start()
    try:
        for number in range(4):
            review = pool.analysis(ULTIMATE, (number,), 2 * WAIT_S, 2 * WAIT_S, ANN)
            reviews.append(asyncio.create_task(review))
            await until(lambda: pool.busy + pool.waiting == len(reviews))
            assert len(limits) == max(0, number - 1)
        assert all(0.0 < seconds <= WAIT_S for seconds in limits)
    finally:
        await pool.stop()
    await asyncio.gather(*reviews, return_exceptions=True)
