"""Lag: the network's share of a move, which its player gets back from a quota.

A client can feign lag by answering pings late. The quota bounds what it gains by that, as lichess does it. It is part of the
game, so that it begins full with each game and neither a reconnect nor a restart fills it.
"""

from __future__ import annotations

from typing import Final

from noughts.room.clock import ClockSetting, FischerClock
from noughts.room.presence import Presence
from noughts.room.room import Room, RoomGame
from noughts.room.seat import holder
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Mark

LAG_QUOTA_MS: Final = 500
"""A full quota: the most lag that a side gets back for one move."""
LAG_GAIN_MS: Final = 100
"""What a move adds to its side's quota. A player with less lag than this always gets it back."""

_FULL: Final = ByMark(LAG_QUOTA_MS, LAG_QUOTA_MS)


def lag_of(room: Room, game: RoomGame, mark: Mark, presence: Presence) -> int:
    """Return the most milliseconds that a side gets back for its present turn."""
    player = holder(room.seat(mark))
    return 0 if player is None else min(presence.lag_of(player), (game.lag_quota_ms or _FULL).of(mark))


def lag_given(setting: ClockSetting, elapsed_ms: int, left_ms: int, lag_ms: int) -> int:
    """Return how much of a lag a turn gets back. With a clock for each move, at most the time by which it is late."""
    return max(0, min(elapsed_ms if isinstance(setting, FischerClock) else elapsed_ms - left_ms, lag_ms))


def quota_after_move(game: RoomGame, mark: Mark, given_ms: int) -> ByMark[int] | None:
    """Return what is left of both quotas after a move that got back ``given_ms``; None while both are full."""
    quotas = game.lag_quota_ms or _FULL
    left_ms = min(LAG_QUOTA_MS, quotas.of(mark) - given_ms + LAG_GAIN_MS)
    if left_ms == quotas.of(mark):
        return game.lag_quota_ms
    quotas = quotas.replaced(mark, left_ms)
    return None if quotas == _FULL else quotas
