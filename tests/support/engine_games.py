"""Games and random numbers for tests of the engine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from noughts.rules.game import Game, new_game
from noughts.rules.position import Position
from noughts.rules.variant import Variant


class RecordingRandom(random.Random):
    """A random generator that records the options of its latest choice."""

    options: Sequence[Any] = ()

    def choice(self, options: Any) -> Any:
        self.options = options
        return super().choice(options)


def game_at(position: Position) -> Game:
    """Return a game that begins at ``position``, which no real game needs to reach."""
    return Game((), position)


def random_game(variant: Variant, plies: int, rng: random.Random) -> Game:
    """Return a game that goes on after ``plies`` random moves."""
    while True:
        game = new_game(variant)
        while game.outcome is None and game.ply < plies:
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            return game
