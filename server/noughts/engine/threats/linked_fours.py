"""A quick look for a win by fours: the search of the leaves of :mod:`noughts.engine.threats.threes`.

Most looks find nothing, so they must fail quickly. The look tries only fours that make a pair, and as its last move one
that completes a line in two places. So it misses a few wins that :class:`~noughts.engine.threats.fours.FourSearch` finds,
and a win that it finds need not be a shortest one.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.threats.rows import Rows, add

FAILURES_LIMIT: Final = 380_000
NODES_PER_READING: Final = 32


def double_four(pairs: list[int], cell: int) -> tuple[int, int]:
    """Return a cell with the cells that complete the fours which a mark there makes."""
    ends = 0
    for pair in pairs:
        if pair & cell:
            ends |= pair
    return cell, ends ^ cell


class LinkedFours:
    """A look for wins by fours of the attacker. Its table of failures is kept between calls."""

    __slots__ = ("_budget", "_end", "_failures", "_rows", "_stopped", "nodes")

    def __init__(self, rows: Rows, budget: Budget) -> None:
        self._rows = rows
        self._budget = budget
        self._failures: set[int] = set()
        self._end = 0
        self._stopped = False
        self.nodes = 0

    def find(
        self, state: int, pairs: list[int], triples: list[int], block: int, limit: int
    ) -> list[tuple[int, int]] | None:
        """Return a win of the attacker, to move, or None if at most ``limit`` nodes find none. Raise OutOfTimeError.

        ``block`` is the one cell that would complete a line of the defender, or 0. The win is written as in
        :class:`~noughts.engine.threats.fours.FourSearch`.
        """
        self._end = self.nodes + limit
        self._stopped = False
        if len(self._failures) > FAILURES_LIMIT:
            self._failures.clear()
        win = self._search(state, pairs, triples, block, 0)
        if win is not None:
            win.reverse()
        return win

    def _search(
        self, state: int, pairs: list[int], triples: list[int], block: int, move: int
    ) -> list[tuple[int, int]] | None:
        """Search a position. If the last ``move`` is given, ``triples`` are those before it, and of ``pairs`` cells only."""
        self.nodes += 1
        if not self.nodes & (NODES_PER_READING - 1):
            self._budget.check()
        if self.nodes > self._end:
            self._stopped = True
            return None
        seen = meeting = 0
        for pair in pairs:
            meeting |= pair & seen
            seen |= pair
        cells = seen
        if block:
            if not block & seen:
                return None
            meeting &= block
            cells = block
        if meeting:
            return [double_four(pairs, meeting & -meeting)]
        rows = self._rows
        if move:
            filled = state | state >> rows.size
            triples = [triple for triple in triples if not triple & filled]
            for row in rows.made(state, move):
                add(triples, row.triples)
        fours: dict[int, list[int]] = {}
        for triple in triples:
            hit = triple & cells
            while hit:
                cell = hit & -hit
                hit ^= cell
                if cell in fours:
                    fours[cell].append(triple ^ cell)
                else:
                    fours[cell] = [triple ^ cell]
        failures = self._failures
        size = rows.size
        for cell, new_pairs in fours.items():
            for pair in pairs:
                if pair & cell:
                    reply = pair ^ cell
                    break
            both = cell | reply
            after = [pair for pair in pairs if not pair & both]
            count = len(after)
            for pair in new_pairs:
                if not pair & reply and pair not in after:
                    after.append(pair)
            if len(after) == count:
                continue
            child = state | cell | reply << size
            if child in failures:
                continue
            counter = 0
            for row in rows.answered(child, reply):
                counter |= row.fours
            if not counter & (counter - 1):
                win = self._search(child, after, triples, counter, cell)
                if win is not None:
                    win.append((cell, reply))
                    return win
                if self._stopped:
                    return None
            failures.add(child)
        return None
