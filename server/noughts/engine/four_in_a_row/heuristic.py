"""A guess for four in a row, where no proof is near: alpha-beta to a depth, and threats counted at its leaves.

Bit boards and moves are those of :mod:`noughts.engine.four_in_a_row.search`. What a threat is worth depends on its
row: both sides fill the last columns cell by cell, and there X, who began, gets the odd rows from below and O the
even ones (V. Allis, "A Knowledge-based Approach of Connect-Four", 1988).
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.search import BOTTOM, COLUMNS_CENTRE_FIRST, EVEN_ROWS, FULL, ODD_ROWS, winning

SURE: Final = 1_000
"""No guess is as large; a win seen to its end is worth this times its score."""
REST: Final = 255  # nodes between two looks at the budget
RICH: Final = (
    sum(0b001100 << 7 * column for column in (1, 2, 3, 4, 5)) | 0b111111 << 21 | 0b011110 << 14 | 0b011110 << 28
)
"""Cells that many lines run through."""


class Guess:
    """One guess: of a position, within nodes and time."""

    def __init__(self, nodes: int, budget: Budget) -> None:
        self._left = nodes
        self._budget = budget

    def best(self, me: int, taken: int, ply: int, moves: list[int]) -> int:
        """The most promising of ``moves`` (bits), which come best first where nothing else tells them apart."""
        best = moves[0]
        ranked = moves
        depth = 1
        try:
            while depth <= 42 - ply and len(ranked) > 1:
                values: dict[int, int] = {}
                alpha = -100 * SURE
                for move in ranked:
                    value = -self._after(me, taken, ply, move, depth - 1, -100 * SURE, -alpha)
                    values[move] = value
                    alpha = max(alpha, value)
                ranked = sorted(ranked, key=lambda move: -values[move])
                best = ranked[0]
                if abs(values[best]) >= SURE:
                    break
                depth += 1
        except OutOfTimeError:
            pass
        return best

    def _after(self, me: int, taken: int, ply: int, move: int, depth: int, alpha: int, beta: int) -> int:
        """The value for the opponent after ``move``."""
        foe, me, taken, ply = me | move, me ^ taken, taken | move, ply + 1
        if ply == 42:
            return 0
        theirs = winning(foe, taken)
        mine = winning(me, taken)
        open_cells = (taken + BOTTOM) & FULL
        if mine & open_cells:
            return SURE * ((43 - ply) >> 1)
        return self._search(me, taken, mine, theirs, ply, depth, alpha, beta)

    def _search(self, me: int, taken: int, mine: int, theirs: int, ply: int, depth: int, alpha: int, beta: int) -> int:
        self._left -= 1
        if not self._left & REST:
            self._budget.check()
        if self._left <= 0:
            raise OutOfTimeError
        open_cells = (taken + BOTTOM) & FULL
        moves = open_cells & theirs
        if not moves:
            moves = open_cells & ~(theirs >> 1)
        elif moves & (moves - 1):
            moves = 0
        else:
            moves &= ~(theirs >> 1)
        if not moves:
            return -SURE * ((42 - ply) >> 1)
        if ply >= 40:
            return 0
        foe = me ^ taken
        if depth <= 0 and moves & (moves - 1):
            return _threats(mine, theirs, ply) + 2 * ((me & RICH).bit_count() - (foe & RICH).bit_count())
        for column in COLUMNS_CENTRE_FIRST:
            move = moves & column
            if move:
                after = taken | move
                value = -self._search(
                    foe, after, theirs & ~move, winning(me | move, after), ply + 1, depth - 1, -beta, -alpha
                )
                if value > alpha:
                    alpha = value
                    if alpha >= beta:
                        break
        return alpha


def _threats(mine: int, theirs: int, ply: int) -> int:
    good, bad = (EVEN_ROWS, ODD_ROWS) if ply & 1 else (ODD_ROWS, EVEN_ROWS)
    value = 20 * (mine & good).bit_count() + 8 * (mine & bad).bit_count()
    return value - 20 * (theirs & bad).bit_count() - 8 * (theirs & good).bit_count()
