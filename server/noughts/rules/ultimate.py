"""Ultimate: nine small boards in one large, the one game with rules of its own.

Layout (9 columns, 9 rows; the small boards are numbered row by row)::

      a b c   d e f   g h i
    1         |       |            board 0 | board 1 | board 2
    2    0    |   1   |   2        board 3 | board 4 | board 5
    3         |       |            board 6 | board 7 | board 8

The last cell's place within its small board is the number of the board where the opponent must play. A decided or full
board takes no more marks; who is sent there may play in any open one.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from noughts.rules.outcome import Mark, Outcome
from noughts.rules.variant import Variant, lines

Decision: TypeAlias = Mark | Literal["draw"] | None

SIZE: Final = 9
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


def small_mask(marks: int, board: int) -> int:
    """The marks of one small board as nine bits, by place."""
    mask = 0
    for place, cell in enumerate(CELLS_OF[board]):
        mask |= (marks >> cell & 1) << place
    return mask


def _has_line(mask: int) -> bool:
    return any(mask & line == line for line in SMALL_LINES)


@dataclass(frozen=True, slots=True)
class UltimatePosition:
    """A position of ultimate; ``boards`` and ``forced`` are kept up to date by :meth:`play`."""

    variant: Variant
    x: int = 0
    o: int = 0
    ply: int = 0
    boards: tuple[Decision, ...] = (None,) * 9
    forced: int | None = None

    @property
    def turn(self) -> Mark:
        return "O" if self.ply & 1 else "X"

    @property
    def key(self) -> Hashable:
        return (self.x, self.o, self.forced)

    @property
    def fading(self) -> None:
        return None

    def legal(self) -> tuple[int, ...]:
        taken = self.x | self.o
        if self.forced is not None:
            return tuple([cell for cell in CELLS_OF[self.forced] if not taken >> cell & 1])
        boards = self.boards
        return tuple([cell for cell in range(81) if not taken >> cell & 1 and boards[BOARD_OF[cell]] is None])

    def allows(self, cell: int) -> bool:
        if (self.x | self.o) >> cell & 1:
            return False
        board = BOARD_OF[cell]
        return self.boards[board] is None if self.forced is None else self.forced == board

    def play(self, cell: int) -> UltimatePosition:
        mover = self.turn
        x, o = self.x, self.o
        if mover == "X":
            x |= 1 << cell
        else:
            o |= 1 << cell
        board = BOARD_OF[cell]
        boards = self.boards
        if _has_line(small_mask(x if mover == "X" else o, board)):
            boards = (*boards[:board], mover, *boards[board + 1 :])
        elif small_mask(x | o, board) == 0b111111111:
            boards = (*boards[:board], "draw", *boards[board + 1 :])
        place = PLACE_OF[cell]
        return UltimatePosition(self.variant, x, o, self.ply + 1, boards, place if boards[place] is None else None)

    def ended(self, last: int) -> Outcome | None:
        mover: Mark = "X" if self.ply & 1 else "O"
        if self.boards[BOARD_OF[last]] == mover:
            won = 0
            for board, decision in enumerate(self.boards):
                won |= (decision == mover) << board
            through = [line for line in SMALL_LINES if line >> BOARD_OF[last] & 1 and won & line == line]
            if through:
                return Outcome(mover, "line", self._small_line_cells(mover, through))
        if all(decision is not None for decision in self.boards):
            return Outcome(None, "full_board")
        return None

    def _small_line_cells(self, mover: Mark, large: list[int]) -> tuple[int, ...]:
        marks = self.x if mover == "X" else self.o
        cells: set[int] = set()
        for board in range(9):
            if any(line >> board & 1 for line in large):
                small = small_mask(marks, board)
                for line in SMALL_LINES:
                    if small & line == line:
                        cells.update(CELLS_OF[board][place] for place in range(9) if line >> place & 1)
        return tuple(sorted(cells))
