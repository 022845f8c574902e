"""What a move to a cell changes, for the search of four in a row in plain Python: worked out once and looked up after that.

An operation on a mask takes Python as long as a look-up in a dictionary, and to find the cells that complete a line takes
thirty. Which cells those are after a move depends only on the marks near it, and the same ones come again and again.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from noughts.engine.four_in_a_row.masks import BOTTOM, COLUMNS_CENTRE_FIRST, FULL, winning

PATTERNS: Final = 4_096
"""Kept for each cell, 30 MB in all at most."""
SETS_OF_MOVES: Final = 32_768


class Completing(dict[int, int]):
    """The cells that complete a line after a move, free or not, by the marks of the same side near it."""

    def __init__(self, move: int) -> None:
        super().__init__()
        self._move = move

    def __missing__(self, marks: int) -> int:
        if len(self) >= PATTERNS:
            self.clear()
        cells = self[marks] = winning(marks | self._move, 0)
        return cells


Move: TypeAlias = tuple[int, int, int, int, Completing]
"""The rank of the column, the cell, how the open cells change when it is filled, the cells near it, and their lines."""


class Moves(dict[int, tuple[Move, ...]]):
    """The cells of a mask, at most one in each column, the centre first."""

    def __missing__(self, mask: int) -> tuple[Move, ...]:
        if len(self) >= SETS_OF_MOVES:
            self.clear()
        cells = self[mask] = tuple(_MOVES[mask & column] for column in COLUMNS_CENTRE_FIRST if mask & column)
        return cells


def _near(cell: int) -> int:
    """Return the cells that share a line with a cell: up to three in each direction, none above."""
    cells = 0
    for step in (-8, -7, -6, -1, 6, 7, 8):
        at = cell
        for _ in range(3):
            at = at << step if step > 0 else at >> -step
            if not at & FULL:
                break
            cells |= at
    return cells


_MOVES: Final[dict[int, Move]] = {
    cell: (rank, cell, cell | cell << 1 & FULL, _near(cell), Completing(cell))
    for rank, column in enumerate(COLUMNS_CENTRE_FIRST, 1)
    for cell in (column & BOTTOM << row for row in range(6))
}
