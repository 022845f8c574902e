"""The kernel of ultimate: its verdicts are true, and it stays within its budget."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import Budget
from noughts.engine.ultimate.kernel import PROOF_HORIZON, UltimateKernel, plies_to_end
from noughts.engine.verdict import UNKNOWN, Analysis
from noughts.rules.game import new_game, replay, start
from noughts.rules.ultimate import UltimatePosition
from tests.support.budgets import CountingClock, endless, no_time
from tests.support.engine_games import game_at
from tests.support.ultimate import (
    VARIANT,
    endings,
    positions_of,
    random_games,
    slow_moves,
    slow_value,
    wins_at_once,
)

VALUE = {"win": 1, "draw": 0, "loss": -1}


@pytest.fixture(scope="module")
def kernel() -> UltimateKernel:
    return UltimateKernel(VARIANT)


def ticks(number: int) -> Budget:
    """Return a budget that ends after its clock was read ``number`` times."""
    return Budget(number + 0.5, CountingClock(), counts_readings=True)


# -- proofs ------------------------------------------------------------------------------------------------------------


@pytest.mark.search
def test_an_interrupted_search_claims_nothing_wrong() -> None:
    kernel = UltimateKernel(VARIANT, nodes_per_counted_reading=1)
    claims = 0
    for position in endings(10, 3, seed=78):
        value, plies = slow_value(position)
        keeping = {cell for cell, (move_value, _) in slow_moves(position).items() if move_value == value}
        for number in (*range(40), *range(40, 200, 7)):
            verdict, best, _ = kernel.analyse(position, ticks(number))
            choice = kernel.choose(game_at(position), ticks(number), random.Random(number))
            if choice.verdict != UNKNOWN:
                assert (VALUE[choice.verdict.value], choice.verdict.plies) == (value, plies if value else None)
                assert choice.cell in keeping
            if verdict == UNKNOWN:
                assert best == ()
                continue
            claims += 1
            assert (VALUE[verdict.value], verdict.plies) == (value, plies if value else None)
            assert set(best) <= keeping
            assert best
    assert claims > 50


def test_a_game_that_cannot_end_soon_is_unknown_without_a_search(kernel: UltimateKernel) -> None:
    clock = CountingClock()
    assert kernel.analyse(start(VARIANT), Budget(1e9, clock)) == Analysis(UNKNOWN, ())
    assert clock.readings == 0
    assert kernel.nodes == 0


def test_no_game_is_won_before_its_estimated_end() -> None:
    won = [game for game in random_games(80, seed=21) if game.outcome and game.outcome.winner]
    assert len(won) > 30
    for game in won:
        for position in positions_of(game):
            assert plies_to_end(position) <= game.ply - position.ply
    assert plies_to_end(start(VARIANT)) == 17 > PROOF_HORIZON  # nine marks of X, eight of O


def test_an_immediate_win_is_proved_in_any_phase_of_the_game(kernel: UltimateKernel) -> None:
    games = [game for game in random_games(300, seed=12) if game.outcome and game.outcome.winner]
    game = min(games, key=lambda game: game.ply)
    position = replay(VARIANT, game.moves[:-1]).position
    verdict, best, _ = kernel.analyse(position, endless())
    assert verdict == ("win", 1, "exact")
    assert game.moves[-1] in best


# -- play --------------------------------------------------------------------------------------------------------------


def test_without_time_it_still_wins_at_once_and_prevents_such_a_win(kernel: UltimateKernel) -> None:
    rng = random.Random(5)
    wins = guards = 0
    for game in random_games(15, seed=6):
        for position in positions_of(game):
            if position.ply < 17:
                continue
            cell = kernel.choose(game_at(position), no_time(), rng).cell
            winning = [cell for cell in position.legal() if wins_at_once(position, cell)]
            if winning:
                wins += 1
                assert cell in winning
                continue
            safe = [
                cell
                for cell in position.legal()
                if not any(wins_at_once(position.play(cell), reply) for reply in replies(position, cell))
            ]
            if 0 < len(safe) < len(position.legal()):
                guards += 1
                assert cell in safe
    assert wins > 5
    assert guards > 10


def replies(position: UltimatePosition, cell: int) -> tuple[int, ...]:
    after = position.play(cell)
    return () if after.ended(cell) is not None else after.legal()


# -- budget and seed ---------------------------------------------------------------------------------------------------


def test_with_a_spent_budget_it_moves_after_few_nodes(kernel: UltimateKernel) -> None:
    for game in random_games(20, seed=9):
        for position in positions_of(game):
            assert kernel.choose(game_at(position), no_time(), random.Random(2)).cell in position.legal()
            assert kernel.nodes <= 81


def test_seeds_vary_the_opening(kernel: UltimateKernel) -> None:
    game = new_game(VARIANT)
    assert len({kernel.choose(game, no_time(), random.Random(seed)).cell for seed in range(20)}) > 1


def test_an_interrupted_search_hands_no_win_to_the_opponent() -> None:
    """Where every move so far loses, a move that is not searched yet is no better if it loses at once."""
    kernel = UltimateKernel(VARIANT, nodes_per_counted_reading=1)
    lost = 0
    for position in endings(11, 24, seed=81):
        moves = slow_moves(position)
        if max(value for value, _ in moves.values()) >= 0 or max(plies for _, plies in moves.values()) < 4:
            continue
        lost += 1
        for number in (*range(0, 30, 3), *range(30, 200, 31)):
            assert moves[kernel.choose(game_at(position), ticks(number), random.Random(number)).cell][1] > 2
    assert lost > 1
