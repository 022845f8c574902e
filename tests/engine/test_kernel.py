"""The interface of kernels: every kernel passes the same suite."""

from __future__ import annotations

import random
from functools import partial

import pytest

from noughts.engine.budget import Budget
from noughts.engine.kernel import Kernel
from noughts.engine.kernels import kernel_for, new_kernel
from noughts.engine.verdict import UNKNOWN
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import TOLERANCE_S, endless, overrun_s, ticking
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
        verdict, best, _ = kernel.analyse(game.position, ticking(number))
        assert set(best) <= set(game.legal())
        assert list(best) == sorted(best)
        if verdict.value == "unknown":
            assert verdict == UNKNOWN
            assert best == ()
        elif verdict.value == "loss" and verdict.proof == "exact":
            assert best == game.legal()


def test_the_same_seed_and_the_same_budget_give_the_same_move(kernel: Kernel) -> None:
    for game in some_games(kernel.variant, "seed")[:2]:
        first, second = (new_kernel(kernel.variant).choose(game, ticking(10), random.Random(3)) for _ in range(2))
        assert first == second


# -- the time of a search ---------------------------------------------------------------------------------------

ATTEMPTS = 3


@pytest.mark.search
@pytest.mark.parametrize("budget_s", [0.0, 0.03, 0.15])
def test_no_search_outlives_its_budget(kernel: Kernel, budget_s: float) -> None:
    """Load on the machine does not count: the clock is the processor time of this process."""
    for game in some_games(kernel.variant, f"time {budget_s}")[::3]:
        rng = random.Random(1)
        assert overrun_s(partial(kernel.analyse, game.position), budget_s) <= TOLERANCE_S
        assert overrun_s(partial(kernel.choose, game, rng=rng), budget_s) <= TOLERANCE_S


@pytest.mark.search
def test_a_cold_kernel_keeps_to_its_budget_too(kernel: Kernel) -> None:
    """Count the time to make and read its tables."""
    game = new_game(kernel.variant)

    def choose(budget: Budget) -> None:
        new_kernel(kernel.variant).choose(game, budget, random.Random(1))

    assert overrun_s(choose, 0.05, ATTEMPTS) <= TOLERANCE_S


# -- complete -----------------------------------------------------------------------------------------------------


@pytest.mark.search
def test_a_complete_best_has_every_move_that_keeps_the_value(kernel: Kernel) -> None:
    """Each other move is proved to lose value, by the verdict of the position after it."""
    opposite = {"win": "loss", "loss": "win", "draw": "draw"}
    for game in late_games(kernel.variant):
        verdict, best, complete = kernel.analyse(game.position, ticking(40))
        if not complete:
            continue
        assert verdict.value != "unknown"
        for cell in set(game.legal()) - set(best):
            after = game.play(cell)
            if after.outcome is None:
                value = kernel.analyse(after.position, ticking(40)).verdict.value
                assert value not in (opposite[verdict.value], "loss"), (game.moves, cell)
            else:
                assert after.outcome.winner != game.position.turn
                assert verdict.value == "win" or after.outcome.winner is not None


def late_games(variant: Variant) -> list[Game]:
    """Return random games as they were two to eight plies before the end."""
    rng = random.Random(f"late {variant.key}")
    games = []
    for _ in range(8):
        played = [new_game(variant)]
        while played[-1].outcome is None:
            played.append(played[-1].play(rng.choice(played[-1].legal())))
        games.append(played[max(0, len(played) - rng.randrange(3, 10))])
    return games


@pytest.mark.parametrize("key", ["classic", "misere", "vanishing", "4x4"])
def test_best_is_complete_in_every_solved_variant(key: str) -> None:
    kernel = kernel_for(VARIANTS[key])
    for game in late_games(VARIANTS[key]):
        assert kernel.analyse(game.position, endless()).complete


def test_one_winning_move_of_a_book_is_not_called_complete() -> None:
    analysis = kernel_for(VARIANTS["qubic"]).analyse(new_game(VARIANTS["qubic"]).position, ticking(40))
    assert (analysis.verdict.value, analysis.verdict.proof, analysis.complete) == ("win", "book", False)
