"""Iterative deepening at the root: the moves of a position in the order of their values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError

WON: Final = 1_000_000


class DeepeningSearch:
    """The root of an alpha-beta search. A subclass searches the tree below it."""

    __slots__ = ("_budget",)

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def continue_until(self, budget: Budget) -> None:
        """Use this budget from now on. The tables stay, so that what was searched before is soon searched again."""
        self._budget = budget

    def urgencies(self) -> Sequence[int]:
        """Return how urgent each cell is, negative where it is full."""
        raise NotImplementedError

    def value_of(self, cell: int, side: int, depth: int, low: int, width: int) -> int:
        """Return the value of a move for its side, or a bound that is at most ``low``. Raise OutOfTimeError."""
        raise NotImplementedError

    def ranked(self, allowed: int, rng: random.Random) -> list[int]:
        """Return the empty cells of the mask ``allowed``, most urgent first, ties in random order."""
        urgency = self.urgencies()
        cells = [cell for cell, value in enumerate(urgency) if value >= 0 and allowed >> cell & 1]
        rng.shuffle(cells)
        cells.sort(key=urgency.__getitem__, reverse=True)
        return cells

    def order(self, side: int, cells: list[int], width: int, max_depth: int) -> tuple[list[int], int]:
        """Return ``cells``, best first for ``side`` (0: X), and the value of the first.

        The side cannot complete a line at once. ``cells`` are in order of promise. Iterative deepening ends at
        ``max_depth`` plies or at the deadline. Below the root only the ``width`` most urgent cells are searched.
        """
        order = list(cells)
        choice = order[0]
        value = 0
        depth = 1
        try:
            while depth <= max_depth and len(order) > 1:
                best_value = -WON * 2
                values = {}
                for cell in order:
                    cell_value = self.value_of(cell, side, depth, best_value, width)
                    values[cell] = cell_value
                    if cell_value > best_value:
                        best_value = cell_value
                        # An unfinished iteration may replace the choice only by a move that beats the first one.
                        best_now = cell
                        if cell == order[0] or depth == 1:
                            continue
                        choice = cell
                choice, value = best_now, best_value
                order.sort(key=lambda cell: -values[cell] if cell != choice else -WON * 4)
                if abs(value) > WON // 2:
                    break
                depth += 1
        except OutOfTimeError:
            pass
        order.remove(choice)
        return [choice, *order], value
