"""Heuristic search for four in a row, where a proof takes too long: alpha-beta with threats counted at the leaves.

Bit boards and moves are those of :mod:`noughts.engine.four_in_a_row.masks`. The worth of a threat depends on its row:
both sides fill the last columns cell by cell, and there X gets the odd rows from below and O the even ones (V. Allis,
"A Knowledge-based Approach of Connect-Four", 1988).
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.masks import BOTTOM, COLUMNS_CENTRE_FIRST, EVEN_ROWS, FULL, ODD_ROWS, winning

WIN: Final = 1_000
"""Larger than every estimate. A win that was searched to its end is worth this times its score."""
CHECK_MASK: Final = 255  # nodes between two checks of the budget, minus one
CENTRAL: Final = (
    sum(0b001100 << 7 * column for column in (1, 2, 3, 4, 5)) | 0b111111 << 21 | 0b011110 << 14 | 0b011110 << 28
)
"""Cells with many lines through them."""


class HeuristicSearch:
    """A search of one position, limited in nodes and time."""

    def __init__(self, nodes: int, budget: Budget) -> None:
        self._nodes_left = nodes
        self._budget = budget

    def best(self, me: int, occupied: int, ply: int, moves: list[int]) -> int:
        """Return the most promising of ``moves`` (bits), the first one of equals.

        None of them completes a line. With two moves or more, at least two cells are free, so no move fills the board.
        """
        best = moves[0]
        ranked = moves
        depth = 1
        try:
            while depth <= 42 - ply and len(ranked) > 1:
                values: dict[int, int] = {}
                alpha = -100 * WIN
                for move in ranked:
                    value = -self._after(me, occupied, ply, move, depth - 1, -100 * WIN, -alpha)
                    values[move] = value
                    alpha = max(alpha, value)
                ranked = sorted(ranked, key=lambda move: -values[move])
                best = ranked[0]
                if abs(values[best]) >= WIN:
                    break
                depth += 1
        except OutOfTimeError:
            pass
        return best

    def _after(self, me: int, occupied: int, ply: int, move: int, depth: int, alpha: int, beta: int) -> int:
        """Return the value for the opponent after ``move``."""
        opponent, me, occupied, ply = me | move, me ^ occupied, occupied | move, ply + 1
        theirs = winning(opponent, occupied)
        mine = winning(me, occupied)
        open_cells = (occupied + BOTTOM) & FULL
        if mine & open_cells:
            return WIN * ((43 - ply) >> 1)
        return self._search(me, occupied, mine, theirs, ply, depth, alpha, beta)

    def _search(
        self, me: int, occupied: int, mine: int, theirs: int, ply: int, depth: int, alpha: int, beta: int
    ) -> int:
        self._nodes_left -= 1
        if not self._nodes_left & CHECK_MASK:
            self._budget.check()
        if self._nodes_left <= 0:
            raise OutOfTimeError
        open_cells = (occupied + BOTTOM) & FULL
        moves = open_cells & theirs
        if not moves:
            moves = open_cells & ~(theirs >> 1)
        elif moves & (moves - 1):
            moves = 0
        else:
            moves &= ~(theirs >> 1)
        if not moves:
            return -WIN * ((42 - ply) >> 1)
        if ply >= 40:
            return 0
        opponent = me ^ occupied
        if depth <= 0 and moves & (moves - 1):
            return _threat_balance(mine, theirs, ply) + 2 * (
                (me & CENTRAL).bit_count() - (opponent & CENTRAL).bit_count()
            )
        for column in COLUMNS_CENTRE_FIRST:
            move = moves & column
            if move:
                after = occupied | move
                value = -self._search(
                    opponent, after, theirs & ~move, winning(me | move, after), ply + 1, depth - 1, -beta, -alpha
                )
                if value > alpha:
                    alpha = value
                    if alpha >= beta:
                        break
        return alpha


def _threat_balance(mine: int, theirs: int, ply: int) -> int:
    """Return the worth of both sides' threats: a threat in a row that falls to its side counts more."""
    good, bad = (EVEN_ROWS, ODD_ROWS) if ply & 1 else (ODD_ROWS, EVEN_ROWS)
    value = 20 * (mine & good).bit_count() + 8 * (mine & bad).bit_count()
    return value - 20 * (theirs & bad).bit_count() - 8 * (theirs & good).bit_count()
