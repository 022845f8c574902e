"""When the store was away, and before this node started: spans that cost no player any time."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.runtime.downtime import STANDSTILL_MS, TICK_MS, DowntimeLog
from noughts.room.downtime import Downtime
from noughts.store.contract import MAX_DOWNTIMES
from tests.support.player import WAIT_S


def test_downtime_begins_and_ends_once() -> None:
    log = DowntimeLog()
    assert (log.begin(100), log.begin(150), log.on, log.spans) == (True, False, True, ())
    log.end(180)
    log.end(190)
    assert (log.on, log.spans) == (False, (Downtime(100, 180),))


def test_a_span_of_no_time_is_none() -> None:
    log = DowntimeLog()
    log.add(50, 50)
    log.add(50, 40)
    log.begin(60)
    log.end(60)
    assert (log.on, log.spans) == (False, ())


def test_the_oldest_spans_are_forgotten() -> None:
    log = DowntimeLog()
    for n in range(MAX_DOWNTIMES + 5):
        log.add(2 * n, 2 * n + 1)
    assert (len(log.spans), log.spans[0]) == (MAX_DOWNTIMES, Downtime(10, 11))


def test_the_spans_of_the_store_take_the_place_of_earlier_ones() -> None:
    """In the only process of a store, its own spans are among them. One of several nodes keeps its own beside them."""
    for shared in (False, True):
        log = DowntimeLog(shared=shared)
        log.add(100, 180)
        before = log.agreed
        log.take((Downtime(10, 50),))
        own = (Downtime(100, 180),)
        assert before == (() if shared else own)
        assert (log.agreed, log.spans) == ((Downtime(10, 50),), (Downtime(10, 50), *(own if shared else ())))


def test_the_same_spans_again_change_nothing() -> None:
    """They come with each beat. Other parts see by the value itself that it is another."""
    log = DowntimeLog(shared=True)
    log.take((Downtime(10, 50),))
    agreed, spans = log.agreed, log.spans
    log.take((Downtime(10, 50),))
    assert log.agreed is agreed
    assert log.spans is spans


def test_a_span_that_lasts_is_one_span() -> None:
    """Spans stay in the order of their ends."""
    log = DowntimeLog()
    log.add(150, 180)
    for old, new in ((None, Downtime(100, 120)), (Downtime(100, 120), Downtime(100, 200))):
        log.replace(old, new)
    assert log.spans == (Downtime(150, 180), Downtime(100, 200))
    log.add(110, 190)
    assert [span.until_ms for span in log.spans] == [180, 190, 200]


def test_a_loop_that_does_not_tick_stands_still() -> None:
    """The span begins with the last tick. Nothing is noted before the first one, nor when the clock is set."""
    log = DowntimeLog()
    log.clock_set(5)
    assert log.late_ms > 1 << 50
    for now_ms in (1_000_000, 1_000_000 + TICK_MS + STANDSTILL_MS, 1_100_000):
        log.tick(now_ms)
    log.clock_set(9_000_000)
    log.tick(9_000_000 + TICK_MS)
    span = Downtime(1_000_000 + TICK_MS + STANDSTILL_MS, 1_100_000)
    assert (log.spans, log.take_standstills(), log.take_standstills()) == ((span,), [span], [])


async def test_downtime_can_be_waited_for() -> None:
    log = DowntimeLog()
    for _ in range(2):
        waiting = asyncio.create_task(log.wait())
        await asyncio.sleep(0)
        assert not waiting.done()
        log.begin(100)
        async with asyncio.timeout(WAIT_S):
            await waiting
            await log.wait()  # it goes on
        log.end(200)


def test_the_reason_of_an_outage_is_logged_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Another reason is logged too. An outage without a reason says nothing when it ends."""
    downtime = DowntimeLog()
    for reason in ("full", "full", "deleted"):
        downtime.begin(1_000, reason)
    downtime.note("deleted")
    downtime.end(2_000)
    assert counts(capsys) == (1, 1, 1)
    downtime.begin(3_000)
    downtime.discard()
    assert counts(capsys) == (0, 0, 0)


def counts(capsys: pytest.CaptureFixture[str]) -> tuple[int, int, int]:
    """Return how many new lines name each reason, and how many say that the store can be used again."""
    text = capsys.readouterr().out
    return text.count("reason=full"), text.count("reason=deleted"), text.count("can be used again")
