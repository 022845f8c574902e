"""Alpha-beta for boards too large to solve: lines weighed by what they still lack, the likeliest cells only.

Every line that one side alone has marks on is worth more the fewer cells it lacks; a cell is as urgent as the lines
through it, of both sides, are worth. Both sums are kept up to date move by move, so the search orders and cuts its
moves by urgency at the cost of one ``nlargest``. What it finds is a good move, never a proof.
"""

from __future__ import annotations

import random
from functools import lru_cache
from heapq import nlargest
from typing import Final, NamedTuple

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.rules.variant import Variant, lines

WON: Final = 1_000_000
_URGENT: Final = 100_000  # a cell that completes somebody's line
_TAKEN: Final = 1 << 40

# By the number of cells a line lacks: what it is worth as it stands, and what a cell in it is worth to either side.
_WORTH: Final = {1: 0, 2: 60, 3: 14, 4: 3, 5: 0}
_URGENCY: Final = {1: _URGENT, 2: 420, 3: 75, 4: 12, 5: 2}


class Weights(NamedTuple):
    """A line's marks are counted in one number, X's + 8 times O's, that indexes these tables."""

    cells_of: tuple[tuple[int, ...], ...]  # by line: its cells
    lines_of: tuple[tuple[int, ...], ...]  # by cell: the lines through it
    worth: tuple[int, ...]  # of a line, for X
    urgency: tuple[int, ...]


@lru_cache(maxsize=16)
def weights_of(variant: Variant) -> Weights:
    """The tables of a variant, made once."""
    masks = lines(variant.shape, variant.line)
    cells_of = tuple(tuple(cell for cell in range(variant.cells) if mask >> cell & 1) for mask in masks)
    lines_of: list[list[int]] = [[] for _ in range(variant.cells)]
    for index, cells in enumerate(cells_of):
        for cell in cells:
            lines_of[cell].append(index)
    worth = [0] * 128
    urgency = [0] * 128
    for count in range(variant.line):
        lack = variant.line - count
        if count:
            worth[count] = _WORTH.get(lack, 0)
            worth[count << 3] = -_WORTH.get(lack, 0)
        urgency[count] = urgency[count << 3] = _URGENCY.get(lack, 1)
    return Weights(cells_of, tuple(map(tuple, lines_of)), tuple(worth), tuple(urgency))


class PatternSearch:
    """One position, searched with the marks on it made and unmade."""

    __slots__ = (
        "_budget",
        "_codes",
        "_fours",
        "_lacks_one",
        "_masks",
        "_memory",
        "_sum",
        "_urgency",
        "_weights",
        "nodes",
    )

    def __init__(self, variant: Variant, x: int, o: int, budget: Budget) -> None:
        self._weights = weights_of(variant)
        self._budget = budget
        self._lacks_one = variant.line - 1
        self._codes = [0] * len(self._weights.cells_of)
        self._urgency = [len(through) * self._weights.urgency[0] for through in self._weights.lines_of]
        self._sum = 0
        self._fours = [0, 0]  # lines that lack one cell, by side
        self._masks = [0, 0]
        # marks -> depth searched, value, whether it is exact (0), at least (1) or at most (-1), and the best cell
        self._memory: dict[tuple[int, int], tuple[int, int, int, int]] = {}
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
        near = self._lacks_one * step
        rival = self._lacks_one * (1 if side else 8)
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
            if new == near:
                fours[side] += 1
            elif old == rival:
                fours[1 - side] -= 1
            elif old == near:
                fours[side] -= 1
        self._sum = total
        urgency[cell] -= _TAKEN
        self._masks[side] |= 1 << cell

    def _clear(self, cell: int, side: int) -> None:
        codes, urgency, fours = self._codes, self._urgency, self._fours
        cells_of, lines_of, worth, table = self._weights
        step = 8 if side else 1
        near = self._lacks_one * step
        rival = self._lacks_one * (1 if side else 8)
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
            if old == near:
                fours[side] -= 1
            elif new == rival:
                fours[1 - side] += 1
            elif new == near:
                fours[side] += 1
        self._sum = total
        urgency[cell] += _TAKEN
        self._masks[side] &= ~(1 << cell)

    def ranked(self, allowed: int, rng: random.Random) -> list[int]:
        """The empty cells of the mask ``allowed``, most urgent first, ties in an order of ``rng``."""
        urgency = self._urgency
        cells = [cell for cell, value in enumerate(urgency) if value >= 0 and allowed >> cell & 1]
        rng.shuffle(cells)
        cells.sort(key=urgency.__getitem__, reverse=True)
        return cells

    def best(self, side: int, cells: list[int], width: int, most: int) -> tuple[int, int]:
        """The best of ``cells`` (in order of promise) for ``side`` (0: X), and its value; deeper and deeper to
        ``most`` plies or the deadline, looking at the ``width`` likeliest answers everywhere below."""
        order = list(cells)
        choice = order[0]
        value = 0
        depth = 1
        try:
            while depth <= most and len(order) > 1:
                top = -WON * 2
                values = {}
                for cell in order:
                    self._fill(cell, side)
                    try:
                        found = -self._search(1 - side, depth - 1, -WON * 2, -top, 1, width)
                    finally:
                        self._clear(cell, side)
                    values[cell] = found
                    if found > top:
                        top = found
                        # A deeper look that has seen only some moves may still trust the first of them.
                        best_now = cell
                        if cell == order[0] or depth == 1:
                            continue
                        choice = cell
                choice, value = best_now, top
                order.sort(key=lambda cell: -values[cell] if cell != choice else -WON * 4)
                if abs(value) > WON // 2:
                    break
                depth += 1
        except OutOfTimeError:
            pass
        return choice, value

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
        known = self._memory.get(key)
        first = -1
        if known is not None:
            reached, value, bound, first = known
            settles = bound == 0 or (value >= high if bound > 0 else value <= low)
            if settles and reached >= depth and abs(value) < WON // 2:
                return value
        cells = nlargest(width, range(len(urgency)), key=urgency.__getitem__)
        if first >= 0 and first in cells:
            cells.remove(first)
            cells.insert(0, first)
        top = -WON * 2
        choice = -1
        floor = low
        for cell in cells:
            if urgency[cell] < 0:
                continue  # taken: fewer cells are left than the width
            self._fill(cell, side)
            try:
                found = -self._search(1 - side, depth - 1, -high, -max(low, top), ply + 1, width)
            finally:
                self._clear(cell, side)
            if found > top:
                top = found
                choice = cell
                if top >= high:
                    break
        if choice < 0:
            return 0  # the board is full
        if len(self._memory) > 300_000:
            self._memory.clear()
        self._memory[key] = (depth, top, 1 if top >= high else (-1 if top <= floor else 0), choice)
        return top
