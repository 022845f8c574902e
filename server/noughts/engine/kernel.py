"""The one small interface of every search: a kernel knows one variant."""

from __future__ import annotations

import random
from typing import Protocol

from noughts.engine.budget import Budget
from noughts.engine.verdict import Analysis, Choice
from noughts.rules.position import Position
from noughts.rules.variant import Variant


class Kernel(Protocol):
    """A search for one variant. It keeps its tables between calls, within a bound of its own."""

    @property
    def variant(self) -> Variant: ...

    @property
    def exact(self) -> bool:
        """True where every reachable position is solved in time: the top level is then ``perfect``."""
        ...

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """The verdict of a position in play and the moves proved to keep it; ``UNKNOWN`` and no move when the
        budget ends first. Never raises :class:`~noughts.engine.budget.OutOfTimeError`, never a wrong value."""
        ...

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """The move of the top level: wins soonest, loses latest, and among moves of equal value takes one that gives
        the opponent most chances to go wrong; ``rng`` breaks what ties are left. Always a legal move, within the
        budget."""
        ...
