"""The interface of every search. A kernel plays one variant."""

from __future__ import annotations

import random
from typing import Protocol

from noughts.engine.budget import Budget
from noughts.engine.verdict import Analysis, Choice
from noughts.rules.game import Game
from noughts.rules.position import Position
from noughts.rules.variant import Variant


class Kernel(Protocol):
    """A search for one variant. It keeps its tables between calls and bounds their size itself."""

    @property
    def variant(self) -> Variant: ...

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the verdict of a position in play and the moves proved to keep its value.

        Return ``UNKNOWN`` and no move if the budget ends first. Never raise
        :class:`~noughts.engine.budget.OutOfTimeError`, and never return a value that is not proved.
        """
        ...

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the move of the top level in a game that goes on: always a legal one, within the budget.

        The move wins as soon and loses as late as it can. Among equal moves it is one after which the most replies are
        mistakes. ``rng`` breaks the remaining ties. The whole game is passed because earlier positions matter where a
        repetition ends the game.
        """
        ...
