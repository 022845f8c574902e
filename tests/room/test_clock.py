"""Clocks: what each side has at first, and what a move costs."""

from __future__ import annotations

import msgspec
import pytest

from noughts.room.clock import ClockSetting, FischerClock, MoveClock, left_after_move


@pytest.mark.parametrize(("charged_ms", "left_ms"), [(0, 62_000), (700, 61_300), (-5, 62_000)])
def test_a_fischer_clock_charges_a_move_and_adds_its_increment(charged_ms: int, left_ms: int) -> None:
    """No move gives time: the clocks of two nodes may differ by a little."""
    assert left_after_move(FischerClock(60_000, 2_000), 60_000, charged_ms) == left_ms


def test_a_fischer_clock_never_goes_below_its_increment() -> None:
    """A move that took longer than what was left leaves the increment."""
    assert left_after_move(FischerClock(60_000, 2_000), 1_000, 5_000) == 2_000


@pytest.mark.parametrize(
    ("fields", "setting"),
    [
        ({"mode": "move", "move_ms": 3_000}, MoveClock(3_000)),
        ({"mode": "move", "move_ms": 86_400_000}, MoveClock(86_400_000)),
        ({"mode": "fischer", "initial_ms": 10_000, "increment_ms": 0}, FischerClock(10_000, 0)),
        ({"mode": "fischer", "initial_ms": 10_800_000, "increment_ms": 60_000}, FischerClock(10_800_000, 60_000)),
    ],
)
def test_a_setting_at_the_end_of_its_range(fields: dict[str, object], setting: ClockSetting) -> None:
    """The least and the greatest values are settings."""
    assert msgspec.convert(fields, ClockSetting) == setting
