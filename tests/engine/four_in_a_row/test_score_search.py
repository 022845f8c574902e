"""The compiled null-window search: the answers of the search in Python and of a slow solver, and it ends when it must."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.board import Board, board_of
from noughts.engine.four_in_a_row.score_search import NODES_PER_COUNTED_READING, NODES_PER_READING, ScoreSearch
from tests.support.budgets import endless, no_time, readings
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT
from tests.support.slow_solver import SlowSolver, board_text
from tools.prove.null_window import NullWindowSearch

SIZE = 65_521
UNLIMITED = 1 << 40
START = Board(0, 0, 0)


def answer(search: ScoreSearch, board: Board, goal: int) -> bool | None:
    """Return the search's answer, None if its nodes are spent."""
    try:
        return search.score_reaches(*board, goal)
    except OutOfTimeError:
        return None


def test_every_answer_is_that_of_a_solver_without_masks_and_cuts() -> None:
    rng = random.Random(5)
    fast = ScoreSearch(SIZE)
    fast.allow(UNLIMITED, None)
    for plies in (30, 32, 34, 36, 38):
        for _ in range(6):
            game = random_game(VARIANT, plies, rng)
            value, left = SlowSolver(VARIANT).worth(board_text(game.position))
            board = board_of(game.position)
            score = value * (22 - (board.ply + left + 1) // 2)
            for goal in range(-8, 9):
                assert fast.score_reaches(*board, goal) is (score >= goal)


@pytest.mark.parametrize("size", [1, 2, 3, 1_021, 65_537, 1_000_003])
def test_tables_of_any_size_give_the_same_answers(size: int) -> None:
    """The program divides by the size with a multiplication of fractions."""
    rng = random.Random(1)
    search, expected = ScoreSearch(size), NullWindowSearch()
    search.allow(UNLIMITED, None)
    for _ in range(4):
        board = board_of(random_game(VARIANT, 26, rng).position)
        for goal in (-2, 0, 1, 3):
            assert search.score_reaches(*board, goal) is expected.score_reaches(*board, goal)


def test_the_table_has_answers_of_what_was_searched_until_it_is_cleared() -> None:
    board = board_of(random_game(VARIANT, 26, random.Random(3)).position)
    search = ScoreSearch(SIZE)
    search.allow(UNLIMITED, None)
    answers = [search.score_reaches(*board, goal) for goal in range(-8, 9)]
    stored = [search.stored_answer(board.me, board.occupied, goal) for goal in range(-8, 9)]
    assert {True, False} <= set(stored)
    assert all(answer in (None, expected) for answer, expected in zip(stored, answers, strict=True))
    search.clear()
    assert {search.stored_answer(board.me, board.occupied, goal) for goal in range(-8, 9)} == {None}


def test_the_empty_board_is_not_taken_for_an_empty_entry() -> None:
    search = ScoreSearch(1_021)
    assert [search.stored_answer(0, 0, goal) for goal in (-21, 0, 21)] == [None, None, None]


def test_a_spent_budget_stops_it_at_its_first_reading() -> None:
    search = ScoreSearch(SIZE)
    for budget, nodes in (
        (no_time(), NODES_PER_READING),
        (readings(0), NODES_PER_COUNTED_READING),
        (readings(2), 3 * NODES_PER_COUNTED_READING),
    ):
        before = search.nodes
        search.allow(UNLIMITED, budget)
        with pytest.raises(OutOfTimeError):
            search.score_reaches(*START, 1)
        assert search.nodes - before == nodes


def test_spent_nodes_stop_it() -> None:
    search = ScoreSearch(SIZE)
    for budget in (None, endless(), readings(1_000)):
        before = search.nodes
        search.allow(70_001, budget)
        with pytest.raises(OutOfTimeError):
            search.score_reaches(*START, 1)
        assert search.nodes - before == 70_001
        with pytest.raises(OutOfTimeError):
            search.score_reaches(*START, 1)


def test_after_an_interruption_its_answers_are_right() -> None:
    rng = random.Random(10)
    for _ in range(10):
        board = board_of(random_game(VARIANT, 16, rng).position)
        whole, interrupted = ScoreSearch(SIZE), ScoreSearch(SIZE)
        whole.allow(UNLIMITED, None)
        expected = whole.score_reaches(*board, 1)
        for nodes in (1, 7, 50, 300, 2_000, 20_000, UNLIMITED):
            interrupted.allow(nodes, None)
            assert answer(interrupted, board, 1) in (None, expected)
        assert answer(interrupted, board, 1) is expected


def test_a_table_beyond_the_memory_is_rejected() -> None:
    with pytest.raises(MemoryError):
        ScoreSearch(1 << 29)
