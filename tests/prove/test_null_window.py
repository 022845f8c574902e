"""The null-window search in Python: right answers, and valid entries after an interruption or in a full table."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.board import board_of
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT
from tests.support.slow_solver import SlowSolver, board_text
from tools.prove.null_window import NullWindowSearch


@pytest.mark.parametrize("size", [1, 50, 65_521])
def test_a_score_reaches_exactly_the_goals_up_to_that_of_a_slow_solver(size: int) -> None:
    rng = random.Random(4)
    search = NullWindowSearch(size)
    for plies in (30, 32, 34, 36, 38, 40, 41):
        for _ in range(6):
            game = random_game(VARIANT, plies, rng)
            value, length = SlowSolver(VARIANT).worth(board_text(game.position))
            # With its n-th mark the winner scores 22 - n.
            winner_marks = (game.ply + length + (1 if (value > 0) == (game.ply % 2 == 0) else 0)) // 2
            score = value * (22 - winner_marks)
            board = board_of(game.position)
            assert [search.score_reaches(*board, goal) for goal in (score - 1, score, score + 1)] == [True, True, False]


def test_a_search_out_of_nodes_leaves_only_valid_entries() -> None:
    rng = random.Random(10)
    for _ in range(6):
        board = board_of(random_game(VARIANT, 18, rng).position)
        interrupted = NullWindowSearch()
        expected = NullWindowSearch().score_reaches(*board, 1)
        for nodes in (1, 7, 50, 300, 2_000):
            interrupted.allow(nodes)
            try:
                assert interrupted.score_reaches(*board, 1) is expected
            except OutOfTimeError:
                continue
        interrupted.allow(1 << 40)
        assert interrupted.score_reaches(*board, 1) is expected
