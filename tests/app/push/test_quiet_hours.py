"""Check when reminders come, in time zones with and without summer time."""

from __future__ import annotations

import datetime as dt

import pytest

from noughts.app.push.quiet_hours import reminder_ms, zone_of

BERLIN = zone_of("Europe/Berlin")


def ms(text: str) -> int:
    """Return the milliseconds of a time in Berlin."""
    return int(dt.datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp() * 1000)


@pytest.mark.parametrize(
    ("started", "deadline", "reminder"),
    [
        ("2026-11-24T12:00", "2026-11-25T12:00", "2026-11-25T07:00"),  # a quarter is left at 6: one hour later
        ("2026-11-24T20:00", "2026-11-25T20:00", "2026-11-25T14:00"),
        ("2026-11-24T04:00", "2026-11-25T04:00", "2026-11-24T22:00"),  # a quarter is left at 22: no time left at 7
        ("2026-11-24T06:30", "2026-11-25T06:30", "2026-11-24T22:00"),  # 0:30: the morning is too late
        ("2026-11-24T13:00", "2026-11-25T13:00", "2026-11-25T07:00"),  # exactly 7
        ("2026-11-24T03:59", "2026-11-25T03:59", "2026-11-24T21:59"),  # one minute before the evening
        ("2026-11-24T08:00", "2026-11-25T07:00", "2026-11-24T22:00"),  # the deadline itself is at 7
        ("2026-10-24T13:00", "2026-10-25T11:00", "2026-10-25T07:00"),  # the night has 25 hours
        ("2026-11-24T12:00", "2026-11-27T12:00", "2026-11-26T18:00"),
    ],
)
def test_a_reminder_comes_with_a_quarter_left_and_not_at_night(started: str, deadline: str, reminder: str) -> None:
    assert reminder_ms(ms(started), ms(deadline), BERLIN) == ms(reminder)


def test_a_reminder_never_comes_before_the_turn_began() -> None:
    started = ms("2026-11-24T23:00")
    assert reminder_ms(started, ms("2026-11-25T02:00"), BERLIN) == started


def test_without_a_zone_there_is_no_night() -> None:
    assert reminder_ms(0, 4_000, None) == 3_000


@pytest.mark.parametrize(
    "name", [None, "", "Mars/Base", "../etc/passwd", "/etc/passwd", "Europe", "a\0b", "x" * 65, "é"]
)
def test_text_that_is_no_zone_is_none(name: str | None) -> None:
    assert zone_of(name) is None
