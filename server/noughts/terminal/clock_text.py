"""A clock as a person types it, such as ``5+3``."""

from __future__ import annotations

import re
from typing import Final

from noughts.client.room import clock_setting
from noughts.command_line import UsageError
from noughts.room.clock import ClockSetting
from noughts.terminal.words import CLOCK_FORMS

_FISCHER: Final = re.compile(r"(\d{1,3})\+(\d{1,2})", re.ASCII)
_MOVE: Final = re.compile(r"(\d{1,5})([smd])", re.ASCII)
_UNIT_MS: Final = {"s": 1_000, "m": 60_000}


def clock_of(text: str) -> ClockSetting | None:
    """Return the clock of a text. Raise :class:`UsageError` for text that is no clock of a room."""
    try:
        return clock_setting(_fields(text))
    except ValueError:
        raise UsageError(
            f"{text!r} is no clock. Write {CLOCK_FORMS}. A move has 3s to 1440m or 1d to 14d,"
            " a game 1 to 180 minutes and 0 to 60 seconds."
        ) from None


def _fields(text: str) -> dict[str, str | int]:
    """Return the JSON of a clock, whose numbers may be out of range. Raise ValueError for text in another form."""
    if match := _FISCHER.fullmatch(text):
        minutes, seconds = map(int, match.groups())
        return {"mode": "fischer", "initial_ms": minutes * 60_000, "increment_ms": seconds * 1_000}
    if match := _MOVE.fullmatch(text):
        number, unit = int(match[1]), match[2]
        return {"mode": "days", "days": number} if unit == "d" else {"mode": "move", "move_ms": number * _UNIT_MS[unit]}
    raise ValueError(text)
