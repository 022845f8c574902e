"""Games of four in a row for tests."""

from __future__ import annotations

from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS

VARIANT = VARIANTS["four-in-a-row"]


def game_of_columns(columns: str) -> Game:
    """Return the game after marks in these columns, counted from 1."""
    game = new_game(VARIANT)
    for column in columns:
        game = game.play(max(cell for cell in game.legal() if cell % 7 == int(column) - 1))
    return game
