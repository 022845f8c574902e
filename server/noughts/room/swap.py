"""The swap rule: after X's first move, the player of O may take X's side. So X has no reason to open with a winning move."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.events import Swapped
from noughts.room.game_flow import notice_of_another_turn
from noughts.room.room import Room, RoomGame
from noughts.room.transition import Moment, Transition
from noughts.rules.outcome import other

SWAP_PLY: Final = 1
"""The number of moves after which O may swap."""


def may_swap(room: Room) -> bool:
    """Return whether O may take X's side now."""
    game = room.game
    return (
        room.swap
        and game is not None
        and game.outcome is None
        and game.history.ply == SWAP_PLY
        and not game.from_ply
        and not game.swapped
        and not room.closed
    )


def swap_sides(room: Room, game: RoomGame, at: Moment) -> Transition:
    """Exchange the two players. Each keeps the own time. O, who has made the first move, is to move.

    Raise ``forbidden`` if the room has no swap rule, or the players have swapped already.
    """
    if not may_swap(room):
        raise Rejection("forbidden", "You can swap only once, after the first move, in a room with the swap rule.")
    quota = game.lag_quota_ms
    game = replace(
        game,
        swapped=True,
        left_ms=game.left_ms.swapped,
        gifts=game.gifts.swapped,
        lag_quota_ms=None if quota is None else quota.swapped,
        turn_since_ms=at.now_ms,
    )
    declined = tuple([replace(offer, by=other(offer.by)) for offer in room.declined])
    claimable = tuple([other(mark) for mark in room.claimable])
    notice = notice_of_another_turn(room)
    room = replace(
        room, game=game, seats=room.seats.swapped, offers=(), declined=declined, claimable=claimable, notice=notice
    )
    return Transition(room, (Swapped("O"),))
