"""Clocks: their settings, and how much time a side has left. Times are Unix milliseconds, durations are milliseconds.

The first move of each side is off the clock, unless it counts days. A side that does not make it within
:data:`FIRST_MOVE_MS` aborts the game.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from noughts.values import Value

FIRST_MOVE_MS: Final = 30_000
OFF_CLOCK_PLIES: Final = 2
DAY_MS: Final = 86_400_000
MAX_DAYS: Final = 14
"""The most days that a side can have for a move."""


class MoveClock(Value, tag_field="mode", tag="move"):
    """The same time for every move."""

    move_ms: Annotated[int, Meta(ge=3_000, le=86_400_000, description="milliseconds for every move")]


class FischerClock(Value, tag_field="mode", tag="fischer"):
    """An initial time for the whole game, and an increment after each move but the first."""

    initial_ms: Annotated[int, Meta(ge=10_000, le=10_800_000, description="milliseconds for the whole game")]
    increment_ms: Annotated[int, Meta(ge=0, le=60_000, description="milliseconds added after each move but the first")]


class DaysClock(Value, tag_field="mode", tag="days"):
    """Days for every move, also the first. It allows no claim and no stand-in: the players are not here together."""

    days: Annotated[int, Meta(ge=1, le=14, description="days for every move")]

    @property
    def move_ms(self) -> int:
        """The time for every move."""
        return self.days * DAY_MS


ClockSetting: TypeAlias = MoveClock | FischerClock | DaysClock


ClockMode: TypeAlias = Literal["move", "fischer", "days"]


def mode_of(setting: ClockSetting) -> ClockMode:
    """Return the mode of a setting, as messages name it."""
    if isinstance(setting, FischerClock):
        return "fischer"
    return "days" if isinstance(setting, DaysClock) else "move"


def full_ms(setting: ClockSetting) -> int:
    """Return the time that each side starts a game with."""
    return setting.initial_ms if isinstance(setting, FischerClock) else setting.move_ms


def is_off_clock(setting: ClockSetting, ply: int) -> bool:
    """Return whether the move after ``ply`` moves is a first move that the clock does not time."""
    return ply < OFF_CLOCK_PLIES and not isinstance(setting, DaysClock)


def left_after_move(setting: ClockSetting, left_ms: int, charged_ms: int) -> int:
    """Return the time that a side has left after a move for which it is charged ``charged_ms``."""
    if not isinstance(setting, FischerClock):
        return setting.move_ms
    return max(0, left_ms - max(0, charged_ms)) + setting.increment_ms
