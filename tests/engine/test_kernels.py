"""Which kernel plays which variant, and how the engine plays where the compiled programs do not run."""

from __future__ import annotations

import random
from typing import NoReturn

import pytest

from noughts.engine import engine
from noughts.engine.compiled.program import ProgramError
from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernels import kernel_for, new_kernel
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.solvable import START_VALUES
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.ultimate.kernel import UltimateKernel
from noughts.engine.vanishing import VanishingKernel
from noughts.engine.verdict import UNKNOWN, Analysis
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless

KERNELS = {
    "classic": NegamaxKernel,
    "misere": NegamaxKernel,
    "vanishing": VanishingKernel,
    "4x4": NegamaxKernel,
    "5x5": FiveByFiveKernel,
    "four-in-a-row": FourInARowKernel,
    "qubic": QubicKernel,
    "gomoku": ThreatKernel,
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
    assert new_kernel(variant) is not kernel


@pytest.mark.parametrize("variant", OTHERS, ids=lambda variant: variant.key)
def test_other_flags_and_shapes_get_negamax(variant: Variant) -> None:
    assert type(kernel_for(variant)) is NegamaxKernel


def test_a_wide_board_with_long_lines_gets_the_kernel_of_gomoku() -> None:
    for variant in (Variant("13", "", "", (13, 13), 5), Variant("12", "", "", (12, 12), 6)):
        assert type(kernel_for(variant)) is ThreatKernel


def test_a_board_beyond_the_compiled_searches_gets_negamax() -> None:
    for variant in (Variant("19", "", "", (19, 19), 5), Variant("9", "", "", (9, 9), 7)):
        assert type(new_kernel(variant)) is NegamaxKernel


def test_without_its_program_a_variant_is_played_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is proved, and most lines are blocked: ``casual`` of gomoku overlooks 27 %."""

    def fail(variant: Variant) -> NoReturn:
        raise ProgramError("no memory for a program")

    monkeypatch.setattr(engine, "kernel_for", fail)
    game = replay_names(VARIANTS["gomoku"], "h8 a1 h9 c1 h10 e1".split())
    with pytest.warns(UserWarning, match="In Gomoku the engine proves nothing: no memory"):
        assert engine.analyse(game.position, endless()) == Analysis(UNKNOWN, ())
    with pytest.warns(UserWarning, match="plays at the level casual, which does not search: no memory"):
        choices = [engine.choose(game, "strongest", endless(), random.Random(seed)) for seed in range(20)]
    assert {choice.verdict for choice in choices} == {UNKNOWN}
    assert {choice.cell for choice in choices} <= set(game.legal())


def test_start_values_are_those_of_variants_that_exist() -> None:
    """``test_engine`` proves each of them again."""
    assert set(START_VALUES) <= set(VARIANTS)
