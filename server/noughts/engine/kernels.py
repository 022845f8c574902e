"""The table of kernels: which search plays which variant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernel import Kernel
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.vanishing import VanishingKernel
from noughts.engine.verdict import Verdict
from noughts.rules.variant import Variant

START_VALUES: Final[Mapping[str, Verdict]] = MappingProxyType(
    {
        "classic": Verdict("draw", None, "exact"),
        "misere": Verdict("draw", None, "exact"),
        "vanishing": Verdict("win", 13, "exact"),
        "4x4": Verdict("draw", None, "exact"),
        "5x5": Verdict("draw", None, "book"),
        "four-in-a-row": Verdict("win", 41, "book"),
        "qubic": Verdict("win", None, "book"),
    }
)
"""The verdicts of the empty boards that the kernels prove, by variant key. Tests prove each of them again."""


def new_kernel(variant: Variant) -> Kernel:
    """Return a kernel for the variant, with empty tables."""
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
    return NegamaxKernel(variant)


@lru_cache(maxsize=32)
def kernel_for(variant: Variant) -> Kernel:
    """Return the variant's kernel: the same one at each call, so that its tables are used again."""
    return new_kernel(variant)
