"""Alpha-beta of one position: threats are seen to their end, the moves come in order, and there is always one.

Most tests run the program on shapes. The program on patterns plays the same small positions on a board with lines of six.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import cast

import pytest

from noughts.engine.compiled.program import Program
from noughts.engine.threats.alpha_beta import (
    NODES_PER_COUNTED_READING,
    WON,
    AlphaBeta,
)
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless, readings
from tests.support.threats import gomoku_position, searches_of

GOMOKU = VARIANTS["gomoku"]
SIXES = Variant("12x12", "Twelve", "Six in a line wins.", (12, 12), 6)
ALL = (1 << 225) - 1


def search_of(position: FamilyPosition) -> AlphaBeta:
    return searches_of(position.variant).alpha_beta(position.x, position.o, endless())


def best(position: FamilyPosition, depth: int) -> tuple[int, int]:
    """Return the move preferred after a search to this depth, and its value."""
    search = search_of(position)
    cells, value = search.order(position.ply & 1, search.ranked(ALL, random.Random(1))[:40], depth)
    return cells[0], value


def six(rows: list[str]) -> FamilyPosition:
    """Return a position of lines of six from a picture of the board's upper left corner, with X to move."""
    masks = {"X": 0, "O": 0}
    for row, text in enumerate(rows):
        for column, mark in enumerate(text.split()):
            if mark in masks:
                masks[mark] |= 1 << 12 * row + column
    return FamilyPosition(SIXES, masks["X"], masks["O"], 20)


def test_it_blocks_a_line_and_sees_that_two_cannot_be_blocked() -> None:
    assert best(gomoku_position("X O O O O . .", ". . . . . . ."), 2)[0] == 5
    assert best(gomoku_position(". O O O O . .", ". . . . . . ."), 3)[1] < -WON // 2
    assert best(six(["X O O O O O . .", ". . . . . . . ."]), 2)[0] == 6
    assert best(six([". O O O O O . .", ". . . . . . . ."]), 3)[1] < -WON // 2


def test_it_sees_a_win_by_fours_beyond_its_depth() -> None:
    """Two closed threes that cross, on each of them one cell from the crossing."""
    rows = ["O X X X . . .", ". . . . O . .", ". . . . X . .", ". . . . X . .", ". . . . X . .", ". . . . . . ."]
    position = gomoku_position(*rows, ". . . O O . O")
    assert best(position, 1)[1] > -WON // 2


@pytest.mark.parametrize("variant", [GOMOKU, SIXES, VARIANTS["qubic"]], ids=lambda variant: variant.key)
def test_ranking_skips_full_cells_and_a_search_restores_its_board(variant: Variant) -> None:
    rng = random.Random(3)
    cells = rng.sample(range(variant.cells), 20)
    x, o = (sum(1 << cell for cell in cells[side::2]) for side in (0, 1))
    search = searches_of(variant).alpha_beta(x, o, endless())
    ranked = search.ranked(ALL, random.Random(1))
    assert sorted(ranked) == sorted(set(range(variant.cells)) - set(cells))
    assert set(search.ranked(0b1111, random.Random(2))) == set(range(4)) - set(cells)
    first, _ = search.order(0, ranked[:12], 3)
    assert search.order(0, ranked[:12], 3)[0][0] == first[0]
    assert search.ranked(ALL, random.Random(1)) == ranked


@pytest.mark.parametrize("number", [0, 3, 20])
def test_a_budget_ends_the_search_with_a_move(number: int) -> None:
    position = FamilyPosition(GOMOKU, 1 << 112, 1 << 113, 2)
    search = searches_of(GOMOKU).alpha_beta(position.x, position.o, readings(number))
    order = search.ranked(ALL, random.Random(1))[:20]
    cells, _ = search.order(position.ply & 1, order, 12)
    assert sorted(cells) == sorted(order)
    assert search.nodes == NODES_PER_COUNTED_READING * (number + 1)
    assert search.ranked(ALL, random.Random(1))[:20] == order
    search.continue_until(endless())
    assert search.order(position.ply & 1, order, 2)[0]


# -- the root, with values from a table --------------------------------------------------------------------------------


class TableProgram:
    """A program that looks values up, by depth and cell, and is stopped where it has none."""

    def __init__(self, *values: list[int]) -> None:
        self.values = values
        self.depths: list[int] = []

    def function(self, name: str) -> Callable[..., int]:
        functions: dict[str, Callable[..., int]] = {
            "value_of": self.value_of,
            "begin": lambda nodes: 1,
            "marks_address": lambda: 0,
        }
        return functions[name]

    def write(self, address: int, data: bytes) -> None:
        pass

    def stop_when(self, must_stop: Callable[[], bool]) -> None:
        pass

    def value_of(self, cell: int, side: int, depth: int, low: int) -> int:
        self.depths.append(depth)
        return self.values[depth - 1][cell] if depth <= len(self.values) else STOPPED


STOPPED = 2 * WON + 1


def order(program: TableProgram) -> tuple[list[int], int]:
    return AlphaBeta(cast(Program, program), 4, 0, 0, endless()).order(0, [0, 2, 3], 20)


def test_the_deepest_complete_iteration_orders_the_moves() -> None:
    assert order(TableProgram([1, 0, 5, 3], [9, 0, 2, 4])) == ([0, 3, 2], 9)


def test_an_unfinished_iteration_may_replace_the_choice_by_a_better_move() -> None:
    assert order(TableProgram([1, 0, 5, 3], [STOPPED, 0, 2, 4])) == ([3, 2, 0], 5)
    assert order(TableProgram([1, 0, 5, 3], [STOPPED, 0, 4, 2])) == ([2, 3, 0], 5)
    assert order(TableProgram([1, 0, 5, 3], [STOPPED, 0, 2, STOPPED])) == ([2, 3, 0], 5)


def test_an_unfinished_first_iteration_leaves_the_ranked_order() -> None:
    assert order(TableProgram([1, 0, 5, STOPPED])) == ([0, 2, 3], 0)


def test_a_decided_value_ends_it() -> None:
    program = TableProgram([1, 0, WON - 3, 3], [1, 0, 2, 3])
    assert order(program) == ([2, 3, 0], WON - 3)
    assert set(program.depths) == {1}
