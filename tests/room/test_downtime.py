"""Downtime: how much of it lies between two moments."""

from __future__ import annotations

import pytest

from noughts.room.downtime import Downtime, absence_since_ms, downtime_ms


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
        # spans that overlap, such as a store that fails while the server stops
        ([(110, 150), (130, 170)], 60),
        ([(130, 150), (110, 170)], 60),
        ([(110, 150), (110, 150)], 40),
        ([(10, 150), (90, 170)], 70),
        ([(110, 150), (150, 170)], 60),
        ([(110, 120), (160, 170), (110, 190)], 80),
    ],
)
def test_downtime_between_two_moments(spans: list[tuple[int, int]], lost_ms: int) -> None:
    """Of each span, only what lies between the moments counts, and what two spans share counts once."""
    assert downtime_ms([Downtime(*span) for span in spans], 100, 200) == lost_ms


@pytest.mark.parametrize(
    ("spans", "since_ms"),
    [
        ([], 100),
        ([(50, 100)], 100),
        ([(50, 130)], 130),
        ([(120, 130)], 110),
        ([(130, 140), (110, 120)], 120),
        ([(110, 150), (120, 160)], 150),
        ([(110, 150), (120, 145)], 140),
        ([(110, 150), (110, 150)], 140),
        ([(120, 200)], 180),
        ([(150, 200)], 100),
        ([(110, 140), (170, 180)], 140),
        ([(110, 140), (179, 199)], 150),
        ([(110, 140), (180, 199)], 130),
    ],
)
def test_an_absence_leaves_out_downtime_in_its_grace(spans: list[tuple[int, int]], since_ms: int) -> None:
    """The player left at 100, and the grace is 50. Time in two spans counts once, and a span after the grace not at all."""
    assert absence_since_ms([Downtime(*span) for span in spans], 100, 50) == since_ms
