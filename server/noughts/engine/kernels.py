"""The table of kernels: which search plays which variant."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.compiled import program
from noughts.engine.compiled.program import ProgramError
from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernel import Kernel
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.solvable import needs_program, search_of
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.vanishing import VanishingKernel
from noughts.rules.game import new_game
from noughts.rules.variant import VARIANTS, Variant

_MARKS_OF_TRIAL: Final = 6
_TRIAL: Final = Budget(3.0, lambda: 0.0)
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


def new_kernel(variant: Variant) -> Kernel:
    """Return a kernel for the variant, with empty tables. Raise ProgramError where its program does not run."""
    return _KERNELS[search_of(variant)](variant)


@lru_cache(maxsize=32)
def kernel_for(variant: Variant) -> Kernel:
    """Return the variant's kernel: the same one at each call, so that its tables are used again. Raise ProgramError."""
    return new_kernel(variant)


@lru_cache(maxsize=1)
def fault() -> str | None:
    """Return why this process cannot run all compiled programs together, as a worker does; None if it can.

    Each program begins a search, because its tables take their memory then.
    """
    reason = program.fault()
    try:
        for variant in () if reason else filter(needs_program, VARIANTS.values()):
            game = new_game(variant)
            for _ in range(_MARKS_OF_TRIAL):
                game = game.play(game.legal()[len(game.legal()) // 2])
            kernel_for(variant).choose(game, _TRIAL.clock_readings(2, 1.0), random.Random(0))
    except (ProgramError, MemoryError) as error:
        reason = str(error)
    return reason
