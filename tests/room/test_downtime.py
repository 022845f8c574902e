"""Downtime: how much of it lies between two moments."""

from __future__ import annotations

import pytest

from noughts.room.downtime import Downtime, downtime_ms


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
        ([(190, 230)], 10),
        ([(90, 230)], 100),
        ([(200, 230), (240, 250)], 0),
    ],
)
def test_downtime_between_two_moments(spans: list[tuple[int, int]], lost_ms: int) -> None:
    """Of each span, only what lies between the moments counts."""
    assert downtime_ms([Downtime(*span) for span in spans], 100, 200) == lost_ms


@pytest.mark.parametrize(
    ("spans", "lost_ms"),
    [
        ([(110, 150), (130, 170)], 60),
        ([(130, 150), (110, 170)], 60),
        ([(110, 150), (110, 150)], 40),
        ([(10, 150), (90, 170)], 70),
        ([(110, 150), (150, 170)], 60),
        ([(110, 120), (160, 170), (110, 190)], 80),
    ],
)
def test_spans_that_overlap(spans: list[tuple[int, int]], lost_ms: int) -> None:
    """What two spans share counts once, such as a store that fails while the server stops."""
    assert downtime_ms([Downtime(*span) for span in spans], 100, 200) == lost_ms
