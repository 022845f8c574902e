"""The exact value of a nearly full board where filling a line wins: win, draw or loss, without the plies.

Only *open* lines count, those that one side alone may still fill. A mark is never a burden to its owner, so cells on no
open line need not be tried. Whoever has no open line left can at best draw, which narrows the window.
"""

from __future__ import annotations

from noughts.engine.budget import Budget
from noughts.engine.threats.fours import Board, bits


class EndingSearch:
    """Alpha-beta over win (1), draw (0) and loss (-1) with a table."""

    __slots__ = ("_budget", "_known", "_through", "nodes")

    def __init__(self, board: Board, budget: Budget) -> None:
        self._budget = budget
        self._through = board.through
        self._known: dict[tuple[int, int], tuple[int, int]] = {}  # marks of mover and other -> least and most
        self.nodes = 0

    def values(self, own: int, other: int, empty: int, lines: tuple[int, ...]) -> dict[int, int]:
        """The value for ``own``, to move, of each of its moves (bits). Raises OutOfTimeError at the deadline."""
        mine = [line & ~own for line in lines if not line & other]
        theirs = [line & ~other for line in lines if not line & own]
        return {bit: -self._after(own, other, mine, theirs, bit, -1, 1) for bit in bits(empty)}

    def _after(self, own: int, other: int, mine: list[int], theirs: list[int], bit: int, low: int, high: int) -> int:
        """The value for the opponent of the position after ``own`` fills ``bit``."""
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
        must = 0
        for line in theirs:
            if not line & (line - 1):
                must |= line
        for line in mine:
            if not line & (line - 1):
                return 1
        if must & (must - 1):
            return -1
        key = (own, other)
        least, most = self._known.get(key, (-1, 1))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        if must:
            cells = [must]
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
        top = -1
        floor = low
        for bit in cells:
            value = -self._after(own, other, mine, theirs, bit, -high, -max(low, top))
            if value > top:
                top = value
                if top >= high:
                    break
        if len(self._known) > 300_000:
            self._known.clear()
        if top >= high:
            least = max(least, top)
        elif top <= floor:
            most = min(most, top)
        else:
            least = most = top
        self._known[key] = (least, most)
        return top
