"""Downtime: how much of it lies after a moment."""

from __future__ import annotations

import pytest

from noughts.room.downtime import Downtime, downtime_since_ms


@pytest.mark.parametrize(
    ("spans", "lost_ms"),
    [
        ([], 0),
        ([(10, 50)], 0),
        ([(10, 100)], 0),
        ([(10, 130)], 30),
        ([(100, 130)], 30),
        ([(150, 180)], 30),
        ([(10, 50), (90, 130), (150, 180)], 60),
        ([(150, 180), (90, 130), (10, 50)], 60),
    ],
)
def test_downtime_since_a_moment(spans: list[tuple[int, int]], lost_ms: int) -> None:
    """Only what lies after the moment counts, of each span, in any order."""
    assert downtime_since_ms([Downtime(*span) for span in spans], 100) == lost_ms


@pytest.mark.parametrize(
    ("spans", "lost_ms"),
    [
        ([(110, 150), (130, 170)], 60),
        ([(110, 170), (130, 150)], 60),
        ([(110, 150), (110, 150)], 40),
        ([(10, 150), (90, 170)], 70),
        ([(110, 150), (150, 170)], 60),
    ],
)
def test_spans_that_overlap(spans: list[tuple[int, int]], lost_ms: int) -> None:
    """What two spans share counts once, such as a store that fails while the server stops."""
    assert downtime_since_ms([Downtime(*span) for span in spans], 100) == lost_ms
