"""Which kernel plays which variant."""

from __future__ import annotations

import pytest

from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernels import START_VALUES, is_exact, kernel_for
from noughts.engine.negamax import FamilyKernel
from noughts.engine.retrograde import VanishingKernel
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.rules.variant import VARIANTS, Variant

PICKED = {
    "classic": FamilyKernel,
    "misere": FamilyKernel,
    "vanishing": VanishingKernel,
    "4x4": FamilyKernel,
    "5x5": FiveByFiveKernel,
    "four-in-a-row": FourInARowKernel,
    "qubic": QubicKernel,
    "gomoku": GomokuKernel,
    "ultimate": UltimateKernel,
}
TENTH = (
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
    assert type(kernel) is PICKED[variant.key]
    assert kernel.variant == variant
    assert kernel_for(variant) is kernel


@pytest.mark.parametrize("variant", TENTH, ids=lambda variant: variant.key)
def test_flags_and_shapes_that_no_special_kernel_knows_are_the_familys(variant: Variant) -> None:
    assert type(kernel_for(variant)) is FamilyKernel


def test_any_wide_board_with_long_lines_is_gomokus() -> None:
    assert type(kernel_for(Variant("19", "", "", (19, 19), 5))) is GomokuKernel


@pytest.mark.parametrize("variant", [*VARIANTS.values(), *TENTH], ids=lambda variant: variant.key)
def test_a_variant_is_exact_where_its_kernel_is(variant: Variant) -> None:
    assert is_exact(variant) == kernel_for(variant).exact
    assert is_exact(variant) == (variant.key in {"classic", "misere", "vanishing", "4x4"})


def test_vanishing_on_a_board_too_large_to_solve_is_not_exact() -> None:
    large = Variant("fading-5x5", "", "", (5, 5), 4, marks_kept=5)
    assert not is_exact(large)
    assert not kernel_for(large).exact


def test_start_values_are_those_of_variants_that_exist() -> None:
    assert set(START_VALUES) <= set(VARIANTS)
