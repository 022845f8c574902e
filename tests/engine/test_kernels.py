"""Which kernel plays which variant, and how the engine plays where the compiled programs do not run."""

from __future__ import annotations

import random

import pytest

from noughts.engine import kernels
from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.kernels import UnsearchedKernel, kernel_for, new_kernel
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


@pytest.mark.parametrize("key", VARIANTS)
def test_without_the_programs_four_variants_are_played_without_a_search(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "fault", lambda: "wasmtime cannot run programs here")
    kernel = new_kernel(VARIANTS[key])
    is_compiled = key in ("four-in-a-row", "qubic", "gomoku", "ultimate")
    assert (type(kernel) is UnsearchedKernel) is is_compiled
    assert kernel.variant == VARIANTS[key]


def test_without_a_search_no_value_is_known_and_most_lines_are_blocked() -> None:
    """``casual`` of gomoku blocks most lines: 27 % are overlooked."""
    kernel = UnsearchedKernel(VARIANTS["gomoku"])
    game = replay_names(VARIANTS["gomoku"], "h8 a1 h9 c1 h10 e1 h11".split())
    assert kernel.analyse(game.position, endless()) == Analysis(UNKNOWN, ())
    choices = [kernel.choose(game, endless(), random.Random(seed)) for seed in range(200)]
    assert {choice.verdict for choice in choices} == {UNKNOWN}
    blocks = sum(game.variant.names[choice.cell] in ("h7", "h12") for choice in choices)
    assert 0.6 * 200 < blocks < 0.9 * 200


def test_start_values_are_those_of_variants_that_exist() -> None:
    """``test_engine`` proves each of them again."""
    assert set(START_VALUES) <= set(VARIANTS)
