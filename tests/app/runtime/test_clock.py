"""The server's clock: right at the start, and then as steady as the monotonic clock."""

from __future__ import annotations

import time

import pytest

from noughts.app.runtime.clock import ServerClock


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


def test_seconds_are_monotonic() -> None:
    clock = ServerClock()
    assert time.monotonic() <= clock.now_s() <= time.monotonic()
