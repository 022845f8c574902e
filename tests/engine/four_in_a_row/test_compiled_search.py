"""The compiled null-window search: the same answers, entries and nodes as in plain Python, and it ends when it must."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.loading import load
from noughts.engine.four_in_a_row.board import Board, board_of
from noughts.engine.four_in_a_row.compiled_search import (
    COUNTED_NODES_PER_LOOK,
    NODES_PER_LOOK,
    PROGRAM,
    CompiledSearch,
)
from noughts.engine.four_in_a_row.search import NullWindowSearch
from tests.support.budgets import TOLERANCE_S, endless, no_time, overrun_s, readings, seconds
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT

SIZE = 65_521
UNLIMITED = 1 << 40
START = Board(0, 0, 0)


def compiled(size: int = SIZE) -> CompiledSearch:
    """Return a compiled search with an empty table."""
    program = load(PROGRAM)
    assert program is not None
    return CompiledSearch(program, size)


def test_it_agrees_with_plain_python_node_by_node() -> None:
    rng = random.Random(17)
    fast = compiled()
    for plies in (14, 16, 18, 20, 24, 30, 36, 40):
        for _ in range(4):
            board = board_of(random_game(VARIANT, plies, rng).position)
            plain = NullWindowSearch(SIZE)
            fast.clear()
            before = fast.nodes
            for goal in (1, 0, -3, 4):
                plain.allow(3_000, None)
                fast.allow(3_000, None)
                assert answer(fast, board, goal) is answer(plain, board, goal)
                assert fast.nodes - before == plain.nodes
            entries = [
                search.stored_answer(board.me, board.occupied, goal)
                for search in (plain, fast)
                for goal in range(-9, 9)
            ]
            assert entries[:18] == entries[18:]


def answer(search: CompiledSearch | NullWindowSearch, board: Board, goal: int) -> bool | None:
    """Return the search's answer, None if its nodes are spent."""
    try:
        return search.score_reaches(*board, goal)
    except OutOfTimeError:
        return None


@pytest.mark.parametrize("size", [1, 2, 3, 1_021, 65_537, 1_000_003])
def test_tables_of_any_size_keep_the_same_entries(size: int) -> None:
    """The program divides by the size with a multiplication of fractions."""
    rng = random.Random(size)
    fast, plain = compiled(size), NullWindowSearch(size)
    boards = [board_of(random_game(VARIANT, 24, rng).position) for _ in range(4)]
    for board in boards:
        for search in (fast, plain):
            search.allow(UNLIMITED, None)
            search.score_reaches(*board, 1)
        assert fast.nodes == plain.nodes


def test_the_empty_board_is_not_taken_for_an_empty_entry() -> None:
    fast = compiled(1_021)
    assert [fast.stored_answer(0, 0, goal) for goal in (-21, 0, 21)] == [None, None, None]


def test_a_spent_budget_stops_it_at_its_first_look() -> None:
    fast = compiled()
    for budget, nodes in (
        (no_time(), NODES_PER_LOOK),
        (readings(0), COUNTED_NODES_PER_LOOK),
        (readings(2), 3 * COUNTED_NODES_PER_LOOK),
    ):
        before = fast.nodes
        fast.allow(UNLIMITED, budget)
        with pytest.raises(OutOfTimeError):
            fast.score_reaches(*START, 1)
        assert fast.nodes - before == nodes


def test_spent_nodes_stop_it() -> None:
    fast = compiled()
    for budget in (None, endless(), readings(1_000)):
        before = fast.nodes
        fast.allow(70_001, budget)
        with pytest.raises(OutOfTimeError):
            fast.score_reaches(*START, 1)
        assert fast.nodes - before == 70_001
        with pytest.raises(OutOfTimeError):
            fast.score_reaches(*START, 1)


@pytest.mark.search
def test_no_search_outlives_its_budget_by_50_ms() -> None:
    """In processor time, so a busy machine does not count."""
    fast = compiled(1_048_573)

    def search(budget: Budget) -> None:
        fast.allow(UNLIMITED, budget)
        with pytest.raises(OutOfTimeError):
            fast.score_reaches(*START, 1)

    search(seconds(0.3))  # the memory is in place after it
    assert 0.0 <= overrun_s(search, 0.2) <= TOLERANCE_S


def test_after_an_interruption_its_answers_are_right() -> None:
    rng = random.Random(10)
    for _ in range(10):
        board = board_of(random_game(VARIANT, 16, rng).position)
        whole, interrupted = compiled(), compiled()
        whole.allow(UNLIMITED, None)
        expected = whole.score_reaches(*board, 1)
        for nodes in (1, 7, 50, 300, 2_000, 20_000, UNLIMITED):
            interrupted.allow(nodes, None)
            assert answer(interrupted, board, 1) in (None, expected)
        assert answer(interrupted, board, 1) is expected


def test_a_table_beyond_the_memory_is_rejected() -> None:
    with pytest.raises(MemoryError):
        compiled(1 << 29)
    assert compiled().size == SIZE
