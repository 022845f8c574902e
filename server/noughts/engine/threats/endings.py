"""The exact value of a nearly full board on which filling a line wins: win, draw or loss, without the plies.

Only *open* lines count: the opponent has no mark on them. A mark is never a disadvantage, so the search leaves out cells
on no open line. A side without an open line can at best draw, which narrows the window.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.threats.lines import Board, bits

TABLE_LIMIT: Final = 300_000


class EndingSearch:
    """Alpha-beta over win (1), draw (0) and loss (-1) with a transposition table."""

    __slots__ = ("_budget", "_table", "_through", "nodes")

    def __init__(self, board: Board, budget: Budget) -> None:
        self._budget = budget
        self._through = board.through
        self._table: dict[tuple[int, int], tuple[int, int]] = {}  # marks of both sides -> lower and upper bound
        self.nodes = 0

    def values(self, own: int, other: int, empty: int, lines: tuple[int, ...]) -> dict[int, int]:
        """Return the value for ``own``, to move, of each of its moves (bits). Raise OutOfTimeError."""
        mine = [line & ~own for line in lines if not line & other]
        theirs = [line & ~other for line in lines if not line & own]
        return {bit: -self._after(own, other, mine, theirs, bit, -1, 1) for bit in bits(empty)}

    def _after(self, own: int, other: int, mine: list[int], theirs: list[int], bit: int, low: int, high: int) -> int:
        """Return the opponent's value of the position after ``own`` fills ``bit``."""
        if bit in mine:
            return -1
        return self._search(
            other,
            own | bit,
            [line for line in theirs if not line & bit],
            [line & ~bit for line in mine],
            low,
            high,
        )

    def _search(self, own: int, other: int, mine: list[int], theirs: list[int], low: int, high: int) -> int:
        self.nodes += 1
        if not self.nodes & 31:
            self._budget.check()
        if not mine:
            high = min(high, 0)
        if not theirs:
            low = max(low, 0)
        if low >= high:
            return low
        forced = 0
        for line in theirs:
            if not line & (line - 1):
                forced |= line
        for line in mine:
            if not line & (line - 1):
                return 1
        if forced & (forced - 1):
            return -1
        key = (own, other)
        least, most = self._table.get(key, (-1, 1))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        if forced:
            cells = [forced]
        else:
            counts: dict[int, int] = {}
            urgent = [line for line in (*mine, *theirs) if line.bit_count() == 2]
            open_cells = 0
            for line in mine:
                open_cells |= line
            for line in theirs:
                open_cells |= line
            for bit in bits(open_cells):
                counts[bit] = sum([1 for line in urgent if line & bit])
            cells = sorted(counts, key=counts.__getitem__, reverse=True)
        best = -1
        floor = low
        for bit in cells:
            value = -self._after(own, other, mine, theirs, bit, -high, -max(low, best))
            if value > best:
                best = value
                if best >= high:
                    break
        if len(self._table) > TABLE_LIMIT:
            self._table.clear()
        if best >= high:
            least = max(least, best)
        elif best <= floor:
            most = min(most, best)
        else:
            least = most = best
        self._table[key] = (least, most)
        return best
