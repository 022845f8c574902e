"""Clocks: what each side has at first, and what a move costs."""

from __future__ import annotations

import pytest

from noughts.room.clock import FischerClock, left_after_move


@pytest.mark.parametrize(("charged_ms", "left_ms"), [(0, 62_000), (700, 61_300), (-5, 62_000)])
def test_a_fischer_clock_charges_a_move_and_adds_its_increment(charged_ms: int, left_ms: int) -> None:
    """No move gives time: the clocks of two nodes may differ by a little."""
    assert left_after_move(FischerClock(60_000, 2_000), 60_000, charged_ms) == left_ms


def test_a_fischer_clock_never_goes_below_its_increment() -> None:
    """A move that took longer than what was left leaves the increment."""
    assert left_after_move(FischerClock(60_000, 2_000), 1_000, 5_000) == 2_000
