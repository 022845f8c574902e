"""Clocks: settings, and the arithmetic of what is left. Times are Unix milliseconds, durations milliseconds, all arguments.

The first move of each side is off the clock: the side has :data:`FIRST_MOVE_MS` for it, then the game is aborted.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

from noughts.values import Value

FIRST_MOVE_MS: Final = 30_000
OFF_CLOCK_PLIES: Final = 2
MAX_LAG_MS: Final = 500
"""The most that a player is given back for the network on one move, however slow it was measured to be."""


class MoveClock(Value, tag_field="mode", tag="move"):
    """The same time for every move."""

    move_ms: Annotated[int, msgspec.Meta(ge=3_000, le=86_400_000)]


class FischerClock(Value, tag_field="mode", tag="fischer"):
    """A supply of time, and an increment with each move after the first."""

    initial_ms: Annotated[int, msgspec.Meta(ge=10_000, le=10_800_000)]
    increment_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)]


ClockSetting: TypeAlias = MoveClock | FischerClock


def full_ms(setting: ClockSetting) -> int:
    """Return what each side has when a game begins."""
    return setting.move_ms if isinstance(setting, MoveClock) else setting.initial_ms


def left_after_move(setting: ClockSetting, left_ms: int, elapsed_ms: int, lag_ms: int) -> int:
    """Return what the mover has after a move that took ``elapsed_ms``, of which ``lag_ms`` was the network's."""
    if isinstance(setting, MoveClock):
        return setting.move_ms
    return max(0, left_ms - spent_ms(elapsed_ms, lag_ms)) + setting.increment_ms


def spent_ms(elapsed_ms: int, lag_ms: int) -> int:
    """Return what a side is charged for ``elapsed_ms``, of which ``lag_ms`` was the network's."""
    return max(0, elapsed_ms - min(lag_ms, MAX_LAG_MS))
