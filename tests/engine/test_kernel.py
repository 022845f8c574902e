"""The interface of kernels: every kernel passes the same suite."""

from __future__ import annotations

import random

import pytest

from noughts.engine.kernel import Kernel
from noughts.engine.kernels import new_kernel
from noughts.engine.verdict import UNKNOWN
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import no_time, ticking
from tests.support.engine_games import random_game

TENTH = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
LARGE_VANISHING = Variant("fading-5x5", "", "", (5, 5), 4, marks_kept=5)
ALL = (*VARIANTS.values(), TENTH, LARGE_VANISHING)
VALUES = {"win", "draw", "loss", "unknown"}


@pytest.fixture(scope="module", params=ALL, ids=lambda variant: variant.key)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    kernel: Kernel = new_kernel(request.param)
    return kernel


def some_games(variant: Variant, seed: str) -> list[Game]:
    """The empty board and games of several lengths."""
    rng = random.Random(seed)
    longest = min(variant.cells - 2, 30)
    return [new_game(variant), *(random_game(variant, rng.randrange(1, longest), rng) for _ in range(6))]


def test_it_names_its_variant(kernel: Kernel) -> None:
    assert kernel.variant in ALL


@pytest.mark.parametrize("number", [0, 1, 12])
def test_a_move_is_legal_within_any_budget(kernel: Kernel, number: int) -> None:
    rng = random.Random(number)
    for game in some_games(kernel.variant, f"move {number}"):
        choice = kernel.choose(game, ticking(number), rng)
        assert choice.cell in game.legal()
        assert choice.verdict.value in VALUES


@pytest.mark.search
@pytest.mark.parametrize("number", [0, 1, 12])
def test_an_analysis_claims_only_legal_moves(kernel: Kernel, number: int) -> None:
    for game in some_games(kernel.variant, f"analysis {number}"):
        verdict, best = kernel.analyse(game.position, ticking(number))
        assert set(best) <= set(game.legal())
        assert list(best) == sorted(best)
        if verdict.value == "unknown":
            assert verdict == UNKNOWN
            assert best == ()
        elif verdict.value == "loss" and verdict.proof == "exact":
            assert best == game.legal()


def test_a_cold_kernel_without_time_still_moves(kernel: Kernel) -> None:
    cold = new_kernel(kernel.variant)
    game = new_game(kernel.variant)
    assert cold.choose(game, no_time(), random.Random(1)).cell in game.legal()


def test_the_same_seed_and_the_same_budget_give_the_same_move(kernel: Kernel) -> None:
    for game in some_games(kernel.variant, "seed")[:2]:
        first, second = (new_kernel(kernel.variant).choose(game, ticking(10), random.Random(3)) for _ in range(2))
        assert first == second
