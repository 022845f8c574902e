"""Alpha-beta for boards that are too large to solve, with a heuristic estimate and the most urgent cells only.

A line on which one side alone has marks is worth more the fewer cells it lacks. A cell is as urgent as the lines of both
sides through it. Both sums are updated with every move, so to order and select the moves takes one ``nlargest``. The
search returns a good move, never a proof.
"""

from __future__ import annotations

from functools import lru_cache
from heapq import nlargest
from typing import Final, NamedTuple

from noughts.engine.budget import Budget
from noughts.engine.threats.deepening import WON, DeepeningSearch
from noughts.rules.variant import Variant, lines

TABLE_LIMIT: Final = 300_000
_URGENT: Final = 100_000  # a cell that completes a line
_FULL_CELL: Final = 1 << 40

# By the number of cells that a line lacks: the worth of the line, and the urgency that it gives to its cells.
_LINE_WORTH: Final = {1: 0, 2: 60, 3: 14, 4: 3, 5: 0}
_CELL_URGENCY: Final = {1: _URGENT, 2: 420, 3: 75, 4: 12, 5: 2}


class Weights(NamedTuple):
    """The tables of a variant. ``worth`` and ``urgency`` are indexed by a line's code: X's marks + 8 times O's marks."""

    cells_of: tuple[tuple[int, ...], ...]  # by line: its cells
    lines_of: tuple[tuple[int, ...], ...]  # by cell: the lines through it
    worth: tuple[int, ...]  # of a line, for X
    urgency: tuple[int, ...]


@lru_cache(maxsize=16)
def weights_of(variant: Variant) -> Weights:
    """Return the tables of a variant."""
    masks = lines(variant.shape, variant.line)
    cells_of = tuple(tuple(cell for cell in range(variant.cells) if mask >> cell & 1) for mask in masks)
    lines_of: list[list[int]] = [[] for _ in range(variant.cells)]
    for index, cells in enumerate(cells_of):
        for cell in cells:
            lines_of[cell].append(index)
    worth = [0] * 128
    urgency = [0] * 128
    for count in range(variant.line):
        missing = variant.line - count
        if count:
            worth[count] = _LINE_WORTH.get(missing, 0)
            worth[count << 3] = -_LINE_WORTH.get(missing, 0)
        urgency[count] = urgency[count << 3] = _CELL_URGENCY.get(missing, 1)
    return Weights(cells_of, tuple(map(tuple, lines_of)), tuple(worth), tuple(urgency))


class PatternSearch(DeepeningSearch):
    """A search of one position. It makes and unmakes moves on its own tables."""

    __slots__ = (
        "_codes",
        "_entries",
        "_fours",
        "_lacks_one",
        "_masks",
        "_sum",
        "_urgency",
        "_weights",
        "nodes",
    )

    def __init__(self, variant: Variant, x: int, o: int, budget: Budget) -> None:
        super().__init__(budget)
        self._weights = weights_of(variant)
        self._lacks_one = variant.line - 1
        self._codes = [0] * len(self._weights.cells_of)
        self._urgency = [len(through) * self._weights.urgency[0] for through in self._weights.lines_of]
        self._sum = 0
        self._fours = [0, 0]  # lines that lack one cell, by side
        self._masks = [0, 0]
        # marks -> depth, value, its bound (0 exact, 1 lower, -1 upper) and the best cell
        self._entries: dict[tuple[int, int], tuple[int, int, int, int]] = {}
        self.nodes = 0
        for cell in range(variant.cells):
            if x >> cell & 1:
                self._fill(cell, 0)
            elif o >> cell & 1:
                self._fill(cell, 1)

    def _fill(self, cell: int, side: int) -> None:
        codes, urgency, fours = self._codes, self._urgency, self._fours
        cells_of, lines_of, worth, table = self._weights
        step = 8 if side else 1
        own_four = self._lacks_one * step
        rival_four = self._lacks_one * (1 if side else 8)
        total = self._sum
        for line in lines_of[cell]:
            old = codes[line]
            new = old + step
            codes[line] = new
            total += worth[new] - worth[old]
            change = table[new] - table[old]
            if change:
                for each in cells_of[line]:
                    urgency[each] += change
            if new == own_four:
                fours[side] += 1
            elif old == rival_four:
                fours[1 - side] -= 1
            elif old == own_four:
                fours[side] -= 1
        self._sum = total
        urgency[cell] -= _FULL_CELL
        self._masks[side] |= 1 << cell

    def _clear(self, cell: int, side: int) -> None:
        codes, urgency, fours = self._codes, self._urgency, self._fours
        cells_of, lines_of, worth, table = self._weights
        step = 8 if side else 1
        own_four = self._lacks_one * step
        rival_four = self._lacks_one * (1 if side else 8)
        total = self._sum
        for line in lines_of[cell]:
            old = codes[line]
            new = old - step
            codes[line] = new
            total += worth[new] - worth[old]
            change = table[new] - table[old]
            if change:
                for each in cells_of[line]:
                    urgency[each] += change
            if old == own_four:
                fours[side] -= 1
            elif new == rival_four:
                fours[1 - side] += 1
            elif new == own_four:
                fours[side] += 1
        self._sum = total
        urgency[cell] += _FULL_CELL
        self._masks[side] &= ~(1 << cell)

    def urgencies(self) -> list[int]:
        """Return how urgent each cell is, negative where it is full."""
        return self._urgency

    def value_of(self, cell: int, side: int, depth: int, low: int, width: int) -> int:
        """Return the value of a move for its side, or a bound that is at most ``low``. Raise OutOfTimeError."""
        self._fill(cell, side)
        try:
            return -self._search(1 - side, depth - 1, -WON * 2, -low, 1, width)
        finally:
            self._clear(cell, side)

    def _search(self, side: int, depth: int, low: int, high: int, ply: int, width: int) -> int:
        self.nodes += 1
        if not self.nodes & 15:
            self._budget.check()
        if self._fours[side]:
            return WON - ply
        urgency = self._urgency
        if self._fours[1 - side]:
            forced = [cell for cell, value in enumerate(urgency) if value >= _URGENT]
            if len(forced) > 1:
                return -(WON - ply - 1)
            cell = forced[0]
            self._fill(cell, side)
            try:
                return -self._search(1 - side, depth, -high, -low, ply + 1, width)
            finally:
                self._clear(cell, side)
        if depth <= 0:
            return (-self._sum if side else self._sum) + 30
        key = (self._masks[0], self._masks[1])
        entry = self._entries.get(key)
        stored_cell = -1
        if entry is not None:
            stored_depth, value, bound, stored_cell = entry
            decides = bound == 0 or (value >= high if bound > 0 else value <= low)
            if decides and stored_depth >= depth and abs(value) < WON // 2:
                return value
        cells = nlargest(width, range(len(urgency)), key=urgency.__getitem__)
        if stored_cell >= 0 and stored_cell in cells:
            cells.remove(stored_cell)
            cells.insert(0, stored_cell)
        best_value = -WON * 2
        choice = -1
        floor = low
        for cell in cells:
            if urgency[cell] < 0:
                continue  # the cell is full: fewer empty cells remain than ``width``
            self._fill(cell, side)
            try:
                cell_value = -self._search(1 - side, depth - 1, -high, -max(low, best_value), ply + 1, width)
            finally:
                self._clear(cell, side)
            if cell_value > best_value:
                best_value = cell_value
                choice = cell
                if best_value >= high:
                    break
        if choice < 0:
            return 0  # the board is full
        if len(self._entries) > TABLE_LIMIT:
            self._entries.clear()
        self._entries[key] = (
            depth,
            best_value,
            1 if best_value >= high else (-1 if best_value <= floor else 0),
            choice,
        )
        return best_value
