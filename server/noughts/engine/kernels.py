"""The table of kernels: which search plays which variant."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.compiled.program import fault
from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernel import Kernel
from noughts.engine.levels import strongest_without_search
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.one_ply import hasty_move
from noughts.engine.solvable import needs_program, search_of
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.vanishing import VanishingKernel
from noughts.engine.verdict import UNKNOWN, Analysis, Choice
from noughts.rules.game import Game
from noughts.rules.position import Position
from noughts.rules.variant import Variant

_KERNELS: Final[Mapping[str, Callable[[Variant], Kernel]]] = MappingProxyType(
    {
        "negamax": NegamaxKernel,
        "vanishing": VanishingKernel,
        "5x5": FiveByFiveKernel,
        "four-in-a-row": FourInARowKernel,
        "qubic": QubicKernel,
        "threats": ThreatKernel,
        "ultimate": UltimateKernel,
    }
)


class UnsearchedKernel:
    """Plays a variant whose compiled search does not run here: at the strongest level that does not search."""

    def __init__(self, variant: Variant) -> None:
        self.variant: Final = variant
        self._level = strongest_without_search(variant)

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return that nothing is known."""
        return Analysis(UNKNOWN, ())

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the move of that level."""
        return Choice(hasty_move(game.position, self._level.own_misses, self._level.line_misses, rng), UNKNOWN)


def new_kernel(variant: Variant) -> Kernel:
    """Return a kernel for the variant, with empty tables."""
    if needs_program(variant) and fault() is not None:
        return UnsearchedKernel(variant)
    return _KERNELS[search_of(variant)](variant)


@lru_cache(maxsize=32)
def kernel_for(variant: Variant) -> Kernel:
    """Return the variant's kernel: the same one at each call, so that its tables are used again."""
    return new_kernel(variant)
