"""Which kernel plays which variant."""

from __future__ import annotations

import pytest

from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernels import START_VALUES, kernel_for, new_kernel
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.vanishing import VanishingKernel
from noughts.rules.variant import VARIANTS, Variant

KERNELS = {
    "classic": NegamaxKernel,
    "misere": NegamaxKernel,
    "vanishing": VanishingKernel,
    "4x4": NegamaxKernel,
    "5x5": FiveByFiveKernel,
    "four-in-a-row": FourInARowKernel,
    "qubic": QubicKernel,
    "gomoku": GomokuKernel,
    "ultimate": UltimateKernel,
}
OTHERS = (
    Variant("6x5", "", "", (6, 5), 4),
    Variant("5x5-misere", "", "", (5, 5), 4, misere=True),
    Variant("drop-7x6-misere", "", "", (7, 6), 4, gravity=True, misere=True),
    Variant("drop-9x9-five", "", "", (9, 9), 5, gravity=True),
    Variant("cube-misere", "", "", (4, 4, 4), 4, misere=True),
    Variant("box", "", "", (3, 4, 5), 3),
)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_each_variant_has_its_kernel_and_keeps_it(variant: Variant) -> None:
    kernel = kernel_for(variant)
    assert type(kernel) is KERNELS[variant.key]
    assert kernel.variant == variant
    assert kernel_for(variant) is kernel


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_a_new_kernel_is_another_one(variant: Variant) -> None:
    assert type(new_kernel(variant)) is KERNELS[variant.key]
    assert new_kernel(variant) is not kernel_for(variant)


@pytest.mark.parametrize("variant", OTHERS, ids=lambda variant: variant.key)
def test_other_flags_and_shapes_get_negamax(variant: Variant) -> None:
    assert type(kernel_for(variant)) is NegamaxKernel


def test_every_wide_board_with_long_lines_gets_the_gomoku_kernel() -> None:
    assert type(kernel_for(Variant("19", "", "", (19, 19), 5))) is GomokuKernel


def test_start_values_are_those_of_variants_that_exist() -> None:
    """``test_engine`` proves each of them again."""
    assert set(START_VALUES) <= set(VARIANTS)
