"""Alpha-beta on shapes: it sees threats to their end, stops in time and leaves its board as it was."""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats.deepening import WON
from noughts.engine.threats.shape_search import ShapeSearch, fits
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless, no_time, ticking
from tests.support.threats import gomoku_position, scattered

GOMOKU = VARIANTS["gomoku"]
ALL = (1 << 225) - 1


def best(position: FamilyPosition, depth: int, width: int = 20) -> tuple[int, int]:
    search = ShapeSearch(position.variant, position.x, position.o, endless())
    order = search.ranked(ALL, random.Random(1))[:40]
    cells, value = search.order(position.ply & 1, order, width, depth)
    return cells[0], value


def test_it_blocks_a_line_and_sees_that_two_cannot_be_blocked() -> None:
    assert best(gomoku_position("X O O O O . .", ". . . . . . ."), 2)[0] == 5
    assert best(gomoku_position(". O O O O . .", ". . . . . . ."), 3)[1] < -WON // 2


def test_it_sees_an_open_three_as_a_win_at_once() -> None:
    cell, value = best(gomoku_position(". . . . . . .", ". . X X X . .", ". O . O . O ."), 1)
    assert cell in {16, 20}
    assert value > WON // 2


def test_it_answers_an_open_three() -> None:
    rows = [". . . . . . .", ". . O O O . .", ". . . . . . .", "X . . X . . .", ". . . . . . ."]
    cell, value = best(gomoku_position(*rows, "X . . . . . ."), 3)
    assert cell in {15, 16, 20, 21}
    assert abs(value) < WON // 2


def test_it_sees_a_win_by_fours_beyond_its_depth() -> None:
    """Two closed threes that cross, on each of them one cell from the crossing."""
    rows = ["O X X X . . .", ". . . . O . .", ". . . . X . .", ". . . . X . .", ". . . . X . .", ". . . . . . ."]
    position = gomoku_position(*rows, ". . . O O . O")
    assert best(position, 1)[1] > -WON // 2


def test_a_search_leaves_its_board_as_it_was() -> None:
    position = scattered(5, 20)
    search = ShapeSearch(GOMOKU, position.x, position.o, endless())
    order = search.ranked(ALL, random.Random(1))[:12]
    first = search.order(position.ply & 1, order, 8, 3)
    assert search.order(position.ply & 1, order, 8, 3)[0][0] == first[0][0]
    assert search.ranked(ALL, random.Random(1))[:12] == order


@pytest.mark.parametrize("number", [0, 3, 20])
def test_a_budget_ends_the_search_with_a_move(number: int) -> None:
    position = scattered(6, 24)
    search = ShapeSearch(GOMOKU, position.x, position.o, ticking(number) if number else no_time())
    order = search.ranked(ALL, random.Random(1))[:20]
    cells, _ = search.order(position.ply & 1, order, 10, 12)
    assert sorted(cells) == sorted(order)
    assert search.nodes <= 16 * (number + 1)
    assert search.ranked(ALL, random.Random(1))[:20] == order
    search.continue_until(endless())
    assert search.order(position.ply & 1, order, 10, 2)[0]


def test_full_tables_are_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    position = scattered(8, 20)
    expected = best(position, 3, 6)
    monkeypatch.setattr("noughts.engine.threats.shape_search.TABLE_LIMIT", 0)
    assert best(position, 3, 6)[0] == expected[0]


def test_it_plays_planes_of_at_most_225_cells() -> None:
    assert fits(GOMOKU)
    assert fits(Variant("16x14", "Sixteen by fourteen", "Five wins.", (16, 14), 5))
    assert not fits(Variant("16x15", "Sixteen by fifteen", "Five wins.", (16, 15), 5))
    assert not fits(Variant("17x9", "Seventeen by nine", "Five wins.", (17, 9), 5))
    assert not fits(Variant("19x19", "Nineteen", "Five wins.", (19, 19), 5))
    assert not fits(VARIANTS["qubic"])
