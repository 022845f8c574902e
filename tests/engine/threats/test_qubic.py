"""Qubic: the kernel misses no win by continuous fours and no defence, long or short."""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats.fours import board_of
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS
from tests.support.budgets import no_time, ticking
from tests.support.engine_games import game_at
from tests.support.threats import cases, late_position, referee, shortest_by_fours, wins_by_fours_after

QUBIC = VARIANTS["qubic"]
NAMES = cell_names(QUBIC.shape)
KERNEL = QubicKernel(QUBIC)


@pytest.mark.parametrize("readings", [0, 3, 300])
def test_with_any_budget_a_line_is_completed_and_the_opponent_blocked(readings: int) -> None:
    rng = random.Random(1)
    budget = ticking(readings) if readings else no_time()
    win = replay_names(QUBIC, ["a1.1", "b1.1", "b2.2", "c2.1", "c3.3", "d2.2"])
    assert KERNEL.choose(win, budget, rng) == (NAMES.index("d4.4"), Verdict("win", 1, "exact"))
    block = replay_names(QUBIC, ["a1.1", "b1.1", "b2.2", "c2.1", "c3.3"])
    assert KERNEL.choose(block, budget, rng).cell == NAMES.index("d4.4")


def test_an_empty_board_is_opened_where_seven_lines_meet() -> None:
    choice = KERNEL.choose(new_game(QUBIC), ticking(100), random.Random(1))
    assert len(board_of(QUBIC).through[1 << choice.cell]) == 7
    assert choice.verdict == UNKNOWN


@pytest.mark.parametrize("plies", [3, 5, 7, 9, 11])
def test_every_win_by_continuous_fours_is_found(plies: int) -> None:
    selected = [case for case in cases("win", "qubic") if case.plies == plies]
    assert len(selected) >= 10
    for case in selected:
        assert shortest_by_fours(case.position, 5) == plies
        analysis = KERNEL.analyse(case.position, ticking(500))
        assert analysis.verdict == Verdict("win", plies if plies <= 5 else None, "exact")
        assert analysis.best
        for cell in analysis.best:
            assert wins_by_fours_after(case.position, cell, plies // 2), NAMES[cell]
        assert KERNEL.choose(game_at(case.position), ticking(500), random.Random(1)).cell in analysis.best


def test_every_defence_to_continuous_fours_is_found() -> None:
    selected = cases("hold", "qubic")
    assert len(selected) >= 20
    assert sum(len(case.holding) == 1 for case in selected) >= 3
    for case in selected:
        slow = referee(case.position, attacker_moves=False)
        assert slow.by_fours(30) is not None  # it is a threat
        assert all(slow.holds(cell) for cell in case.holding)
        choice = KERNEL.choose(game_at(case.position), ticking(500), random.Random(1))
        assert choice.cell in case.holding
        assert choice.verdict.value != "win"


def test_it_beats_a_player_that_only_completes_and_blocks() -> None:
    wins = 0
    for number in range(4):
        rng = random.Random(number)
        game = new_game(QUBIC)
        engine = "X" if number % 2 else "O"
        while game.outcome is None:
            if game.position.turn == engine:
                cell = KERNEL.choose(game, ticking(60), rng).cell
            else:
                slow = referee(game.position)
                cell = min(slow.fives(0), default=min(slow.fives(1), default=rng.choice(game.legal())))
            game = game.play(cell)
        wins += game.outcome.winner == engine
    assert wins == 4


def test_the_same_budget_and_seed_give_the_same_move() -> None:
    for seed in range(6):
        position = late_position(QUBIC, random.Random(seed), 52)
        if position is None:
            continue
        game = game_at(position)
        first = QubicKernel(QUBIC).choose(game, ticking(80), random.Random(seed))
        assert QubicKernel(QUBIC).choose(game, ticking(80), random.Random(seed)) == first
