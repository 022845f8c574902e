"""Giving the opponent time: a quarter of a minute, or a day in games of days."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.clock import DAY_MS, MAX_DAYS, DaysClock
from noughts.room.events import TimeGiven
from noughts.room.room import Room, RoomGame
from noughts.room.seat import HumanSeat
from noughts.room.transition import Transition
from noughts.rules.outcome import Mark, other

GIFT_MS: Final = 15_000
MAX_GIFTS: Final = 20
"""Gifts of time that a side can make in one game."""


def gift_ms(room: Room, by: Mark) -> int:
    """Return how much time a side can give to the other now; 0 if it can give none."""
    game = room.game
    if game is None or not room.playing or room.clock is None or room.match is not None:
        return 0
    if not isinstance(room.seat(other(by)), HumanSeat) or game.gifts.of(by) >= MAX_GIFTS:
        return 0
    if not isinstance(room.clock, DaysClock):
        return GIFT_MS
    return DAY_MS if game.left_ms.of(other(by)) + DAY_MS <= MAX_DAYS * DAY_MS else 0


def check_gifts_left(room: Room, by: Mark) -> None:
    """Raise ``rate_limited`` if a side has made all its gifts of the game that is on."""
    if room.game is not None and room.playing and room.game.gifts.of(by) >= MAX_GIFTS:
        raise Rejection("rate_limited", f"You have given time {MAX_GIFTS} times in this game.")


def give_time(room: Room, game: RoomGame, by: Mark) -> Transition:
    """Give the opponent time, for the move that is on or the next one. Raise ``forbidden`` if that is not possible."""
    given_ms = gift_ms(room, by)
    if not given_ms:
        raise Rejection("forbidden", "You can give time only to a player, on a clock that has room for it.")
    left_ms = game.left_ms.replaced(other(by), game.left_ms.of(other(by)) + given_ms)
    gifts = game.gifts.replaced(by, game.gifts.of(by) + 1)
    return Transition(replace(room, game=replace(game, left_ms=left_ms, gifts=gifts)), (TimeGiven(by, given_ms),))
