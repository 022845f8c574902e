"""Which search plays which variant: the one place that knows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernel import Kernel
from noughts.engine.negamax import EXACT_CELLS, FamilyKernel
from noughts.engine.retrograde import POSITIONS_LIMIT, VanishingKernel, most_positions
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.verdict import Verdict
from noughts.rules.variant import Variant

START_VALUES: Final[Mapping[str, Verdict]] = MappingProxyType(
    {
        "classic": Verdict("draw", None, "exact"),
        "misere": Verdict("draw", None, "exact"),
        "vanishing": Verdict("win", 13, "exact"),
        "4x4": Verdict("draw", None, "exact"),
        "5x5": Verdict("draw", None, "book"),
        "four-in-a-row": Verdict("win", None, "book"),
    }
)
"""What the kernels prove of the empty boards; a test proves each again. That four in a row takes 41 plies is known from
elsewhere; the book here proves the win."""


@lru_cache(maxsize=32)
def kernel_for(variant: Variant) -> Kernel:
    """The variant's kernel, the same one each time, with the tables that it has filled."""
    if variant.nested:
        return UltimateKernel(variant)
    if variant.marks_kept is not None:
        return VanishingKernel(variant)
    plain = not variant.misere and not variant.gravity
    if variant.gravity and not variant.misere and variant.shape == (7, 6) and variant.line == 4:
        return FourInARowKernel(variant)
    if plain and variant.shape == (5, 5) and variant.line == 4:
        return FiveByFiveKernel(variant)
    if plain and variant.shape == (4, 4, 4) and variant.line == 4:
        return QubicKernel(variant)
    if plain and variant.layers == 1 and variant.line >= 5:
        return GomokuKernel(variant)
    return FamilyKernel(variant)


def is_exact(variant: Variant) -> bool:
    """Whether the variant is solved from every position; asks no kernel, so that nothing is loaded."""
    if variant.marks_kept is not None:
        return most_positions(variant) <= POSITIONS_LIMIT
    return variant.cells <= EXACT_CELLS and not variant.nested
