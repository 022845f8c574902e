"""The root of an alpha-beta search: moves in the order of their values, and never none."""

from __future__ import annotations

import random

from noughts.engine.budget import OutOfTimeError
from noughts.engine.threats.deepening import WON, DeepeningSearch
from tests.support.budgets import endless


class Table(DeepeningSearch):
    """A search that looks values up, by depth and cell, and ends where it has none."""

    def __init__(self, *values: list[int]) -> None:
        super().__init__(endless())
        self.values = values
        self.depths: list[int] = []

    def urgencies(self) -> list[int]:
        return [3, -1, 5, 3]

    def value_of(self, cell: int, side: int, depth: int, low: int, width: int) -> int:
        self.depths.append(depth)
        if depth > len(self.values) or self.values[depth - 1][cell] == -WON * 3:
            raise OutOfTimeError
        return self.values[depth - 1][cell]


def test_cells_are_ranked_by_urgency_without_full_ones() -> None:
    ranked = Table().ranked(0b1111, random.Random(1))
    assert ranked[0] == 2
    assert sorted(ranked) == [0, 2, 3]
    assert Table().ranked(0b1011, random.Random(1)) in ([0, 3], [3, 0])


def test_the_deepest_complete_iteration_orders_the_moves() -> None:
    assert Table([1, 0, 5, 3], [9, 0, 2, 4]).order(0, [0, 2, 3], 8, 20) == ([0, 3, 2], 9)


def test_an_unfinished_iteration_may_replace_the_choice_by_a_better_move() -> None:
    late = -WON * 3
    assert Table([1, 0, 5, 3], [late, 0, 2, 4]).order(0, [0, 2, 3], 8, 20)[0] == [3, 2, 0]
    assert Table([1, 0, 5, 3], [late, 0, 2, late]).order(0, [0, 2, 3], 8, 20)[0][0] == 2


def test_a_decided_value_ends_it() -> None:
    search = Table([1, 0, WON - 3, 3], [1, 0, 2, 3])
    assert search.order(0, [0, 2, 3], 8, 20) == ([2, 3, 0], WON - 3)
    assert set(search.depths) == {1}
