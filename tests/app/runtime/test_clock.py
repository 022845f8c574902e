"""The server's clock: right at the start, and then as steady as the monotonic clock."""

from __future__ import annotations

import time

import pytest

from noughts.app.runtime.clock import ServerClock, StoreClock


def test_it_begins_with_the_wall_clock() -> None:
    before_ms = time.time_ns() // 1_000_000
    clock = ServerClock()
    assert before_ms <= clock.now_ms() <= time.time_ns() // 1_000_000 + 1


def test_it_does_not_follow_a_wall_clock_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is set back or forward neither flags a player nor gives anybody time."""
    clock = ServerClock()
    now_ns = time.monotonic_ns()
    monkeypatch.setattr(time, "monotonic_ns", lambda: now_ns)
    before_ms = clock.now_ms()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert clock.now_ms() == before_ms
    monkeypatch.setattr(time, "monotonic_ns", lambda: now_ns + 5_000_000)
    assert clock.now_ms() == before_ms + 5


def test_it_continues_from_a_stored_time() -> None:
    """If the wall clock was set back between two runs. A time that is past changes nothing."""
    clock = ServerClock()
    before_ms = clock.now_ms()
    assert clock.not_before(before_ms - 7_200_000) == 0
    assert clock.now_ms() - before_ms < 60_000
    behind_ms = clock.not_before(before_ms + 7_200_000)
    assert 7_200_000 - 60_000 < behind_ms <= 7_200_000
    assert before_ms + 7_200_000 <= clock.now_ms() < before_ms + 7_260_000


def test_seconds_are_monotonic() -> None:
    clock = ServerClock()
    assert time.monotonic() <= clock.now_s() <= time.monotonic()


# --- the store's time -------------------------------------------------------------------------------------------------


def test_a_node_takes_over_the_time_of_the_store() -> None:
    """Whatever the clock of its machine says."""
    clock = StoreClock()
    hour_ms = 3_600_000
    sent_s = received_s = clock.now_s()
    clock.measured(clock.now_ms() + hour_ms, sent_s, received_s)
    assert abs(clock.now_ms() - ServerClock().now_ms() - hour_ms) < 1_000
    assert abs(clock.machine_ahead_ms + hour_ms) < 1_000


def test_the_time_of_a_node_never_goes_backwards() -> None:
    clock = StoreClock()
    clock.measured(2_000_000, clock.now_s(), clock.now_s())
    before_ms, now_s = clock.now_ms(), clock.now_s()
    clock.measured(before_ms - 60_000, now_s, now_s)
    assert clock.now_ms() == before_ms


def test_a_measurement_within_its_own_error_changes_nothing() -> None:
    """An answer that took two seconds tells the time only to one second."""
    clock = StoreClock()
    now_s = clock.now_s()
    clock.measured(clock.now_ms() + 900, now_s - 1.0, now_s + 1.0)
    assert abs(clock.now_ms() - ServerClock().now_ms()) < 500


def test_a_machine_that_is_ahead_does_not_stop_the_clock() -> None:
    """The clock may be read before the first measurement, and shows the store's time after it."""
    clock = StoreClock()
    behind_ms = clock.now_ms() - 3_600_000
    now_s = clock.now_s()
    clock.measured(behind_ms, now_s, now_s)
    assert behind_ms <= clock.now_ms() < behind_ms + 60_000
