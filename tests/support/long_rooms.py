"""Rooms in the middle of a long game, whose moves take long to replay."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from noughts.room.game_flow import start_game
from noughts.room.room import Room
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS
from tests.support.room_play import ADA, BOB, T0, room_of, seat_of

PLIES = 100


def long_game(plies: int = PLIES) -> Game:
    """Return a game of gomoku that goes on after this many moves."""
    rng, game = Random(1), new_game(VARIANTS["gomoku"])
    while game.ply < plies:
        after = game.play(rng.choice(game.legal()))
        game = after if after.outcome is None else game
    return game


def long_rooms(count: int) -> list[Room]:
    """Return public rooms in which Ada and Bob play such a game."""
    room = start_game(room_of(seat_of(ADA), seat_of(BOB), variant="gomoku", visibility="public"), T0).room
    assert room.game is not None
    game = replace(room.game, history=long_game(), by=(ADA.player, BOB.player) * (PLIES // 2), at_ms=(T0,) * PLIES)
    return [replace(room, id=f"r{number:021}", game=game) for number in range(count)]
