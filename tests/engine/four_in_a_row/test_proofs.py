"""Proofs about positions: values, columns and scores as a slow solver has them, within nodes and time."""

from __future__ import annotations

import random

import pytest

from noughts.engine.four_in_a_row.board import board_of
from noughts.engine.four_in_a_row.proofs import UNLIMITED_NODES, Proofs
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from noughts.rules.game import Game
from tests.support.budgets import endless, no_time, readings
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, game_of_columns
from tests.support.slow_solver import slow_verdict

LOST = "454723632265325336"
"""The columns of a game that X, to move, loses."""
VALUES = {"win": 1, "draw": 0, "loss": -1}


@pytest.fixture
def proofs() -> Proofs:
    return Proofs(ScoreSearch())


def games(number: int) -> list[Game]:
    rng = random.Random(number)
    return [random_game(VARIANT, rng.randrange(27, 42), rng) for _ in range(30)]


def test_value_columns_and_score_are_those_of_a_slow_solver(proofs: Proofs) -> None:
    for game in games(1):
        board = board_of(game.position)
        verdict, best = slow_verdict(game.position)
        value = VALUES[verdict.value]
        assert proofs.value(board, endless(), UNLIMITED_NODES) == value
        columns, complete = proofs.keeping(board, value, endless())
        assert complete
        assert set(columns) == {cell % 7 for cell in best}
        score = proofs.score(board, value, endless())
        assert score is not None
        if verdict.plies is None:
            assert score == 0
            continue
        last = game.ply + verdict.plies  # the ply of the mark that completes the line
        assert abs(score) == 22 - (last + 1) // 2
        if value > 0:
            assert set(proofs.holding(board, columns, score, endless())) <= set(columns)
        else:
            longest, same = proofs.longest(board, columns, endless())
            assert same == score
            assert set(longest) <= set(columns)


def test_nodes_and_time_bound_each_proof(proofs: Proofs) -> None:
    board = board_of(random_game(VARIANT, 12, random.Random(5)).position)
    assert proofs.value(board, endless(), 30) is None
    assert proofs.value(board, no_time(), UNLIMITED_NODES) is None
    assert proofs.score(board, 1, endless(), 30) is None
    assert proofs.score(board, 1, no_time()) is None
    before = proofs.search.nodes
    assert not proofs.keeping(board, 1, endless(), 30)[1]
    assert proofs.search.nodes - before < 30 + 7 * 100
    assert proofs.holding(board, board.columns(), 5, no_time()) == []


def test_a_loss_without_time_keeps_every_move_that_may_be_the_longest(proofs: Proofs) -> None:
    board = board_of(game_of_columns(LOST).position)
    longest, score = proofs.longest(board, board.columns(), endless())
    assert score is not None
    ended = 0
    for number in range(3):
        columns, plies = Proofs(ScoreSearch()).longest(board, board.columns(), readings(number))
        assert set(longest) <= set(columns)
        assert plies in (None, score)
        ended += plies is None
    assert ended
