"""Budgets: deadlines on the caller's clock."""

from __future__ import annotations

import pytest

from noughts.engine.budget import Budget, OutOfTimeError


class SettableClock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_ends_at_its_deadline_and_not_before() -> None:
    clock = SettableClock()
    budget = Budget(101.0, clock)
    budget.check()
    assert budget.left() == 1.0
    clock.now = 100.999
    budget.check()
    clock.now = 101.0
    with pytest.raises(OutOfTimeError):
        budget.check()
    clock.now = 103.0
    assert budget.left() == -2.0


def test_a_share_ends_after_a_part_of_the_time_left() -> None:
    clock = SettableClock()
    share = Budget(104.0, clock).share(0.25)
    assert share.left() == 1.0
    clock.now = 101.0
    with pytest.raises(OutOfTimeError):
        share.check()


def test_a_part_in_seconds_ends_with_the_whole_at_the_latest() -> None:
    clock = SettableClock()
    budget = Budget(104.0, clock, counts_readings=True)
    assert budget.at_most(1.5).left() == 1.5
    assert budget.at_most(9.0).left() == 4.0
    clock.now = 105.0
    assert budget.at_most(9.0).left() == -1.0
    assert budget.at_most(0.5).counts_readings


def test_steps_end_after_a_number_of_readings_of_any_clock() -> None:
    budget = Budget(200.0, SettableClock()).clock_readings(5, 0.02)
    for _ in range(5):
        budget.check()
    for _ in range(3):
        with pytest.raises(OutOfTimeError):
            budget.check()


def test_no_steps_are_no_time() -> None:
    with pytest.raises(OutOfTimeError):
        Budget(200.0, SettableClock()).clock_readings(0, 0.02).check()


def test_steps_end_with_the_budget_that_they_are_part_of() -> None:
    clock = SettableClock()
    budget = Budget(101.0, clock).clock_readings(1_000, 0.02)
    budget.check()
    clock.now = 101.0
    with pytest.raises(OutOfTimeError):
        budget.check()


def test_a_kernel_that_divides_its_time_sees_steps_as_seconds() -> None:
    budget = Budget(200.0, SettableClock()).clock_readings(5, 0.02)
    assert budget.left() == pytest.approx(0.1)
    assert budget.left() == pytest.approx(0.08)
    assert budget.share(0.5).left() < 0.04
