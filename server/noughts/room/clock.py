"""Clocks: settings, and the arithmetic of what is left. Nothing here reads a clock: times are arguments.

All times are Unix milliseconds, all durations milliseconds. The first move of each side is off the clock: it has
:data:`FIRST_MOVE_MS`, after which the game is aborted.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

FIRST_MOVE_MS: Final = 30_000
OFF_CLOCK_PLIES: Final = 2
GIVE_BACK_MAX_MS: Final = 500
"""The most that is given back for the network on one move, however slow it was measured to be."""


class MoveClock(msgspec.Struct, frozen=True, gc=False, tag_field="mode", tag="move"):
    """The same time for every move."""

    move_ms: Annotated[int, msgspec.Meta(ge=3_000, le=86_400_000)]


class FischerClock(msgspec.Struct, frozen=True, gc=False, tag_field="mode", tag="fischer"):
    """A supply of time, and an increment with each move after the first."""

    initial_ms: Annotated[int, msgspec.Meta(ge=10_000, le=10_800_000)]
    increment_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)]


ClockSetting: TypeAlias = MoveClock | FischerClock


def full_ms(setting: ClockSetting) -> int:
    """What each side has when a game begins."""
    return setting.move_ms if isinstance(setting, MoveClock) else setting.initial_ms


def left_after_move(setting: ClockSetting, left_ms: int, elapsed_ms: int, give_back_ms: int) -> int:
    """What the mover has after a move that took ``elapsed_ms``, of which ``give_back_ms`` was the network's."""
    if isinstance(setting, MoveClock):
        return setting.move_ms
    return max(0, left_ms - spent_ms(elapsed_ms, give_back_ms)) + setting.increment_ms


def spent_ms(elapsed_ms: int, give_back_ms: int) -> int:
    """What a side is charged for ``elapsed_ms``, of which ``give_back_ms`` was the network's."""
    return max(0, elapsed_ms - min(give_back_ms, GIVE_BACK_MAX_MS))
