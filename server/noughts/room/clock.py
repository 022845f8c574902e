"""Clocks: their settings, and how much time a side has left. Times are Unix milliseconds, durations are milliseconds.

The first move of each side is off the clock. A side that does not make it within :data:`FIRST_MOVE_MS` aborts the game.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

from noughts.values import Value

FIRST_MOVE_MS: Final = 30_000
OFF_CLOCK_PLIES: Final = 2


class MoveClock(Value, tag_field="mode", tag="move"):
    """The same time for every move."""

    move_ms: Annotated[int, msgspec.Meta(ge=3_000, le=86_400_000)]


class FischerClock(Value, tag_field="mode", tag="fischer"):
    """An initial time for the whole game, and an increment after each move but the first."""

    initial_ms: Annotated[int, msgspec.Meta(ge=10_000, le=10_800_000)]
    increment_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)]


ClockSetting: TypeAlias = MoveClock | FischerClock


def full_ms(setting: ClockSetting) -> int:
    """Return the time that each side starts a game with."""
    return setting.move_ms if isinstance(setting, MoveClock) else setting.initial_ms


def left_after_move(setting: ClockSetting, left_ms: int, charged_ms: int) -> int:
    """Return the time that a side has left after a move for which it is charged ``charged_ms``."""
    if isinstance(setting, MoveClock):
        return setting.move_ms
    return max(0, left_ms - max(0, charged_ms)) + setting.increment_ms
