"""Clocks as a person types them."""

from __future__ import annotations

import pytest

from noughts.command_line import UsageError
from noughts.room.clock import ClockSetting, DaysClock, FischerClock, MoveClock
from noughts.terminal.clock_text import clock_of


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("30s", MoveClock(30_000)),
        ("2m", MoveClock(120_000)),
        ("5+3", FischerClock(300_000, 3_000)),
        ("1d", DaysClock(1)),
    ],
)
def test_a_clock_is_a_short_text(text: str, setting: ClockSetting) -> None:
    assert clock_of(text) == setting


@pytest.mark.parametrize("text", ["", "soon", "5", "1s", "15d", "5+61", "181+0", "\u0665+3", "5+3\n"])
def test_another_clock_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no clock\. Write 30s for each move, 5\+3"):
        clock_of(text)
