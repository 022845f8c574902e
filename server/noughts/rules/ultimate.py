"""Ultimate: nine small boards in one large, the one game with rules of its own.

Layout (9 columns, 9 rows; the small boards are numbered row by row)::

      a b c   d e f   g h i
    1         |       |            board 0 | board 1 | board 2
    2    0    |   1   |   2        board 3 | board 4 | board 5
    3         |       |            board 6 | board 7 | board 8

The last cell's place within its small board is the number of the board where the opponent must play. A decided or full
board takes no more marks; a player sent there may play in any open one.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Final

from noughts.rules.geometry import chosen, lines
from noughts.rules.outcome import MARKS, Decision, Mark, Outcome
from noughts.rules.variant import Variant
from noughts.values import Value

BOARD_OF: Final = tuple((cell // 9 // 3) * 3 + cell % 9 // 3 for cell in range(81))
"""The small board of each cell."""
PLACE_OF: Final = tuple((cell // 9 % 3) * 3 + cell % 9 % 3 for cell in range(81))
"""The place of each cell within its small board, 0 to 8, row by row."""
CELLS_OF: Final = tuple(
    tuple((board // 3 * 3 + place // 3) * 9 + board % 3 * 3 + place % 3 for place in range(9)) for board in range(9)
)
"""For each small board its nine cells, by place."""
SMALL_LINES: Final = lines((3, 3), 3)
"""The eight lines of a small board, and of the large one, as masks of nine bits."""

_CORNER_OF: Final = tuple(cells[0] for cells in CELLS_OF)
"""The first cell of each small board."""
_MASK_OF: Final = tuple(sum(1 << cell for cell in cells) for cells in CELLS_OF)
"""The cells of each small board, as a mask of 81 bits."""
_FULL: Final = 0b111_111_111
_HAS_LINE: Final = tuple(any(mask & line == line for line in SMALL_LINES) for mask in range(_FULL + 1))
"""For each mask of nine bits, whether it holds a line."""


def small_mask(marks: int, board: int) -> int:
    """Return the marks of one small board as nine bits, by place."""
    marks >>= _CORNER_OF[board]
    return marks & 0b111 | marks >> 6 & 0b111_000 | marks >> 12 & 0b111_000_000


class UltimatePosition(Value):
    """A position of ultimate; :meth:`play` keeps ``boards`` and ``forced`` up to date."""

    variant: Variant
    x: int = 0
    o: int = 0
    ply: int = 0
    boards: tuple[Decision, ...] = (None,) * 9
    forced: int | None = None
    fading: ClassVar[None] = None

    @property
    def turn(self) -> Mark:
        return MARKS[self.ply & 1]

    @property
    def key(self) -> Hashable:
        return (self.x, self.o, self.forced)

    @property
    def playable(self) -> int:
        if self.forced is not None:
            allowed = _MASK_OF[self.forced]
        else:
            allowed = sum([mask for mask, decision in zip(_MASK_OF, self.boards, strict=True) if decision is None])
        return allowed & ~(self.x | self.o)

    def legal(self) -> tuple[int, ...]:
        return chosen(self.variant.every_cell, self.playable)

    def allows(self, cell: int) -> bool:
        if (self.x | self.o) >> cell & 1:
            return False
        board = BOARD_OF[cell]
        return self.boards[board] is None if self.forced is None else self.forced == board

    def play(self, cell: int) -> UltimatePosition:
        x, o, ply, boards = self.x, self.o, self.ply, self.boards
        if ply & 1:
            mine = o = o | 1 << cell
        else:
            mine = x = x | 1 << cell
        board = BOARD_OF[cell]
        if _HAS_LINE[small_mask(mine, board)]:
            boards = (*boards[:board], MARKS[ply & 1], *boards[board + 1 :])
        elif small_mask(x | o, board) == _FULL:
            boards = (*boards[:board], "draw", *boards[board + 1 :])
        place = PLACE_OF[cell]
        return UltimatePosition(self.variant, x, o, ply + 1, boards, place if boards[place] is None else None)

    def ended(self, last: int) -> Outcome | None:
        mover = MARKS[(self.ply & 1) ^ 1]
        if self.boards[BOARD_OF[last]] == mover:
            won = 0
            for board, decision in enumerate(self.boards):
                won |= (decision == mover) << board
            large_lines = [line for line in SMALL_LINES if won & line == line]
            if large_lines:
                return Outcome(mover, "line", self._small_line_cells(mover, large_lines))
        if None not in self.boards:
            return Outcome(None, "full_board")
        return None

    def _small_line_cells(self, mover: Mark, large_lines: list[int]) -> tuple[int, ...]:
        """Return the cells of every small line of ``mover`` in the boards of these large lines."""
        marks = self.x if mover == "X" else self.o
        cells: set[int] = set()
        for board in range(9):
            if any(line >> board & 1 for line in large_lines):
                small = small_mask(marks, board)
                for line in SMALL_LINES:
                    if small & line == line:
                        cells.update(chosen(CELLS_OF[board], line))
        return tuple(sorted(cells))
