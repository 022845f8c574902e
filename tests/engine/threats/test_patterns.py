"""Alpha-beta on patterns: it sees short wins and blocks, orders cells by urgency, and stops in time."""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats.deepening import WON
from noughts.engine.threats.fours import board_of, open_lines
from noughts.engine.threats.patterns import PatternSearch, weights_of
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant, lines
from tests.support.budgets import endless, no_time, ticking
from tests.support.threats import gomoku_position, late_position, marks_of, scattered, slow_value

GOMOKU = VARIANTS["gomoku"]
SMALL = Variant("5x4", "", "", (5, 4), 4)


def best(position: FamilyPosition, depth: int, width: int = 30) -> tuple[int, int]:
    search = PatternSearch(position.variant, position.x, position.o, endless())
    order = search.ranked((1 << position.variant.cells) - 1, random.Random(1))
    cells, value = search.order(position.ply & 1, order, width, depth)
    return cells[0], value


def test_the_tables_hold_every_line_of_every_cell() -> None:
    weights = weights_of(GOMOKU)
    assert len(weights.cells_of) == len(lines(GOMOKU.shape, GOMOKU.line))
    for cell, through in enumerate(weights.lines_of):
        assert sorted(through) == [number for number, cells in enumerate(weights.cells_of) if cell in cells]


def test_it_blocks_a_line_and_sees_that_two_cannot_be_blocked() -> None:
    block = gomoku_position("X O O O O . .", ". . . . . . .")
    assert best(block, 2)[0] == 5
    lost = gomoku_position(". O O O O . .", ". . . . . . .")
    cell, value = best(lost, 3)
    assert value < -WON // 2
    assert cell in lost.legal()


def test_it_sees_an_open_three_as_a_win() -> None:
    position = gomoku_position(". . . . . . .", ". . X X X . .", ". O . O . O .")
    cell, value = best(position, 4)
    assert cell in {16, 20}
    assert value > WON // 2


def test_in_small_endings_a_decided_value_is_exact() -> None:
    rng = random.Random(3)
    decided = drawn = 0
    for _ in range(200):
        position = late_position(SMALL, rng, rng.randrange(1, 8))
        if position is None:
            continue
        own, other = marks_of(position)
        if open_lines(board_of(SMALL), own, other).fours:
            continue  # the kernel completes the line without a search
        value = slow_value(position, {})
        cell, estimate = best(position, 10)
        assert cell in position.legal()
        if len(position.legal()) > 1 and abs(estimate) > WON // 2:
            assert (estimate > 0) == (value > 0)
            decided += 1
        elif value == 0:
            drawn += 1
    assert decided > 10
    assert drawn > 20


def test_cells_are_ranked_by_urgency_within_the_mask() -> None:
    position = gomoku_position("X O O O O . .", ". . . . . . .")
    search = PatternSearch(GOMOKU, position.x, position.o, endless())
    ranked = search.ranked(GOMOKU_CELLS, random.Random(1))
    assert ranked[0] == 5
    assert sorted(ranked) == list(position.legal())
    assert search.ranked(1 << 100 | 1 << 0, random.Random(1)) == [100]


GOMOKU_CELLS = (1 << 225) - 1


def test_a_search_leaves_its_tables_as_they_were() -> None:
    """The moves are made and unmade: the same question has the same answer, also after an interruption."""
    position = scattered(5, 20)
    search = PatternSearch(GOMOKU, position.x, position.o, endless())
    order = search.ranked(GOMOKU_CELLS, random.Random(1))[:12]
    first = search.order(position.ply & 1, order, 8, 3)
    assert search.order(position.ply & 1, order, 8, 3) == first
    assert search.ranked(GOMOKU_CELLS, random.Random(1))[:12] == order


def test_a_complete_line_leaves_its_tables_as_they_were() -> None:
    """Such a move is made and unmade like any other, although the kernel never makes one."""
    position = gomoku_position(". X X X X . .", "O O O O . . .")
    search = PatternSearch(GOMOKU, position.x, position.o, endless())
    order = search.ranked(GOMOKU_CELLS, random.Random(1))[:8]
    assert {0, 5} <= set(order)
    first = search.order(0, order, 8, 2)
    assert search.order(0, order, 8, 2) == first
    assert search.ranked(GOMOKU_CELLS, random.Random(1))[:8] == order


@pytest.mark.parametrize("number", [0, 3, 20])
def test_a_budget_ends_the_search_with_a_move(number: int) -> None:
    position = scattered(6, 24)
    search = PatternSearch(GOMOKU, position.x, position.o, ticking(number) if number else no_time())
    order = search.ranked(GOMOKU_CELLS, random.Random(1))[:20]
    cells, _ = search.order(position.ply & 1, order, 10, 12)
    assert sorted(cells) == sorted(order)
    assert search.nodes <= 16 * (number + 1)


def test_an_only_move_needs_no_search() -> None:
    position = scattered(7, 10)
    search = PatternSearch(GOMOKU, position.x, position.o, no_time())
    assert search.order(0, [3], 10, 12) == ([3], 0)
    assert search.nodes == 0


def test_a_full_table_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    position = scattered(8, 20)
    expected = best(position, 3, 6)
    monkeypatch.setattr("noughts.engine.threats.patterns.TABLE_LIMIT", 0)
    assert best(position, 3, 6) == expected


def test_both_sides_have_the_same_patterns() -> None:
    """With X and O exchanged the other side has the same value."""
    position = scattered(9, 20)
    own, other = marks_of(position)
    exchanged = FamilyPosition(GOMOKU, other, own, position.ply ^ 1) if position.ply & 1 == 0 else position
    assert best(position, 2, 8)[1] == best(exchanged, 2, 8)[1]
