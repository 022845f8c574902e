"""When the store was away, and before this node started: spans that cost no player any time."""

from __future__ import annotations

import asyncio

from noughts.app.rooms.downtime import DowntimeLog
from noughts.room.downtime import Downtime
from noughts.store.contract import MAX_DOWNTIMES
from tests.support.player import WAIT_S


def test_downtime_begins_and_ends_once() -> None:
    log = DowntimeLog()
    assert (log.begin(100), log.begin(150), log.on, log.spans) == (True, False, True, ())
    log.end(180)
    log.end(190)
    assert (log.on, log.spans) == (False, (Downtime(100, 180),))


def test_each_span_is_kept() -> None:
    log = DowntimeLog()
    log.add(10, 50)
    log.begin(100)
    log.end(180)
    assert log.spans == (Downtime(10, 50), Downtime(100, 180))


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
