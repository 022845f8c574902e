"""The null-window search in plain Python: right answers, and valid entries after an interruption."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row import search as search_module
from noughts.engine.four_in_a_row.board import Board, board_of
from noughts.engine.four_in_a_row.search import NullWindowSearch
from tests.support.budgets import endless, no_time
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, Columns, columns_of, slow_solve

SIZE = 65_521
UNLIMITED = 1 << 40


def test_a_score_reaches_exactly_the_goals_up_to_that_of_a_slow_solver() -> None:
    rng = random.Random(4)
    search = NullWindowSearch(SIZE)
    search.allow(UNLIMITED, None)
    for plies in (30, 32, 34, 36, 38, 40, 41):
        for _ in range(6):
            game = random_game(VARIANT, plies, rng)
            table: dict[Columns, tuple[int, int]] = {}
            value, length = slow_solve(columns_of(game), table)
            # With its n-th mark the winner scores 22 - n.
            winner_marks = (game.ply + length + (1 if (value > 0) == (game.ply % 2 == 0) else 0)) // 2
            score = value * (22 - winner_marks)
            board = board_of(game.position)
            assert [search.score_reaches(*board, goal) for goal in (score - 1, score, score + 1)] == [True, True, False]


def test_a_search_out_of_nodes_leaves_only_valid_entries() -> None:
    rng = random.Random(10)
    for _ in range(10):
        board = board_of(random_game(VARIANT, 18, rng).position)
        interrupted, whole = NullWindowSearch(SIZE), NullWindowSearch(SIZE)
        whole.allow(UNLIMITED, None)
        expected = whole.score_reaches(*board, 1)
        for nodes in (1, 7, 50, 300, 2_000):
            interrupted.allow(nodes, None)
            try:
                assert interrupted.score_reaches(*board, 1) is expected
            except OutOfTimeError:
                continue
        interrupted.allow(UNLIMITED, None)
        assert interrupted.score_reaches(*board, 1) is expected


def test_a_spent_budget_stops_a_search_after_its_nodes_per_look() -> None:
    board = Board(0, 0, 0)
    search = NullWindowSearch(SIZE)
    search.allow(UNLIMITED, no_time())
    with pytest.raises(OutOfTimeError):
        search.score_reaches(*board, 1)
    assert search.nodes == search_module.NODES_PER_LOOK
    search.allow(3_000, endless())
    with pytest.raises(OutOfTimeError):
        search.score_reaches(*board, 1)


def test_the_table_answers_what_was_proved_and_nothing_else() -> None:
    board = board_of(random_game(VARIANT, 20, random.Random(7)).position)
    search = NullWindowSearch(SIZE)
    search.allow(UNLIMITED, None)
    assert search.stored_answer(board.me, board.occupied, 0) is None
    answer = search.score_reaches(*board, 0)
    assert search.nodes > 10
    assert search.stored_answer(board.me, board.occupied, 0) is answer
    assert search.stored_answer(board.me, board.occupied, -21 if answer else 21) is answer
    search.clear()
    assert search.stored_answer(board.me, board.occupied, 0) is None


def test_the_table_answers_goals_beyond_both_bounds() -> None:
    """After the exact score is proved, every goal has an answer."""
    board = board_of(random_game(VARIANT, 26, random.Random(3)).position)
    search = NullWindowSearch(SIZE)
    search.allow(UNLIMITED, None)
    answers = [search.score_reaches(*board, goal) for goal in range(-8, 9)]
    assert {True, False} == set(answers)
    stored = [search.stored_answer(board.me, board.occupied, goal) for goal in range(-8, 9)]
    assert {True, False} <= set(stored)
    assert all(answer in (None, expected) for answer, expected in zip(stored, answers, strict=True))


def test_a_question_takes_the_same_nodes_each_time() -> None:
    board = board_of(random_game(VARIANT, 16, random.Random(11)).position)
    counts = set()
    for _ in range(2):
        search = NullWindowSearch(SIZE)
        search.allow(UNLIMITED, None)
        search.score_reaches(*board, 1)
        counts.add(search.nodes)
        assert len(search.keys) == len(search.bounds) == SIZE
    assert len(counts) == 1
