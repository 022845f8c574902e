"""When a reminder comes: not in the night of the device's time zone, as long as there is time left in the morning."""

from __future__ import annotations

import datetime as dt
from typing import Final
from zoneinfo import ZoneInfo

EVENING: Final = dt.time(22)
MORNING: Final = dt.time(7)
MAX_ZONE: Final = 64
"""The longest name of a time zone."""


def zone_of(name: str | None) -> ZoneInfo | None:
    """Return the time zone with an IANA name; None for any other text."""
    if not name or len(name) > MAX_ZONE:
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):  # ZoneInfo also raises for paths, directories and names it cannot find
        return None


def reminder_ms(started_ms: int, deadline_ms: int, zone: ZoneInfo | None) -> int:
    """Return when to remind a player of a turn that began at ``started_ms`` and ends at ``deadline_ms``.

    That is when a quarter of the time is left. From 22 to 7 of the zone it waits until 7 if there is time left then. Else it
    comes at 22 of the evening before. Without a zone there is no night.
    """
    at_ms = deadline_ms - (deadline_ms - started_ms) // 4
    if zone is None:
        return at_ms
    local = dt.datetime.fromtimestamp(at_ms / 1000, zone)
    if MORNING <= local.time() < EVENING:
        return at_ms
    evening = local.date() if local.time() >= EVENING else local.date() - dt.timedelta(days=1)
    morning_ms = _ms(evening + dt.timedelta(days=1), MORNING, zone)
    return morning_ms if morning_ms < deadline_ms else max(started_ms, _ms(evening, EVENING, zone))


def _ms(date: dt.date, time: dt.time, zone: ZoneInfo) -> int:
    return int(dt.datetime.combine(date, time, zone).timestamp() * 1000)
