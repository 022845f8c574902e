"""The early positions of four in a row: the value of each one with at most twelve marks, from a table.

The table is a static function (:mod:`noughts.engine.static_function`). Its keys are the sums of the *undecided* positions,
the smaller one of a position and its mirror image. In an undecided position the side to move can neither complete a line nor
is bound to lose to the next reply: either no reply is forced, or filling one cell stops the opponent's line. All others are
decided at once. A number is the value for the side to move plus one. The table has the positions with an even number of
marks. The value of another one is the best of those after its moves.

The values with twelve marks are searched to the end of the game, the others follow from them: see
``docs/explanation/books.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from noughts.engine import book
from noughts.engine.four_in_a_row.board import COLUMN, Board, board_of_sum, mirrored
from noughts.engine.four_in_a_row.masks import BOTTOM, FULL, winning
from noughts.engine.static_function import StaticFunction, unpack

VARIANT: Final = "four-in-a-row"
NAME: Final = "four-in-a-row-values"
"""The name of the table's file."""
MARKS: Final = 12


class Numbers(Protocol):
    """The number of each undecided position with an even number of marks, by its key."""

    def number(self, key: int) -> int: ...


class EarlyValues:
    """The table, asked by positions."""

    def __init__(self, table: Numbers) -> None:
        self._table = table

    def value(self, board: Board) -> int | None:
        """Return 1, 0 or -1 for the side to move, or None for a position with more marks than the table has.

        The position is in play, and legal moves from the empty board lead to it.
        """
        if board.ply > MARKS:
            return None
        value = value_at_once(board)
        if value is None:
            value = self._best_value(board) if board.ply & 1 else self._table.number(board.key) - 1
        return value

    def keeping(self, board: Board, value: int) -> list[int] | None:
        """Return the columns that keep the value of a position, or None if the table does not have the moves' values."""
        if board.ply >= MARKS:
            return None
        return [column for column in board.columns() if self.move_value(board, column) == value]

    def move_value(self, board: Board, column: int) -> int:
        """Return the value of a move for the side that makes it, in a position with fewer marks than the table has."""
        if board.wins(column):
            return 1
        value = self.value(board.after(column))
        assert value is not None
        return -value

    def _best_value(self, board: Board) -> int:
        best = -1
        for column in board.columns():
            best = max(best, self.move_value(board, column))
            if best > 0:
                break
        return best


def value_at_once(board: Board) -> int | None:
    """Return 1 or -1 for a position that is decided by the next mark or the reply to it, None for an undecided one."""
    cells = (board.occupied + BOTTOM) & FULL
    if winning(board.me, board.occupied) & cells:
        return 1
    theirs = winning(board.me ^ board.occupied, board.occupied)
    forced = theirs & cells
    return -1 if forced & (forced - 1) or forced << 1 & theirs else None


def undecided_keys(marks: int) -> Iterator[list[int]]:
    """Yield the keys of all undecided positions with 0 to ``marks`` marks: an ascending list for each number of marks."""
    reachable = {0}
    for ply in range(marks + 1):
        undecided, after = [], set[int]()
        for key in sorted(reachable):
            board = board_of_sum(key)
            if value_at_once(board) is None:
                undecided.append(key)
            if ply < marks:
                after.update(_keys_after(board))
        yield undecided
        reachable = after


def _keys_after(board: Board) -> list[int]:
    """Return the keys of the positions after all moves that complete no line."""
    moves = (board.occupied + BOTTOM) & FULL
    moves ^= moves & winning(board.me, board.occupied)
    before = (board.me ^ board.occupied) + board.occupied
    sums = [before + (moves & column) for column in COLUMN if moves & column]
    return [min(after, mirrored(after)) for after in sums]


def load() -> EarlyValues:
    """Return the table that comes with the program. Raise OSError, or ValueError for a damaged file."""
    return EarlyValues(load_table())


def load_table() -> StaticFunction:
    """Return the static function of the table. Raise OSError, or ValueError for a damaged file."""
    return load_function(file(), NAME)


def load_function(path: Path, name: str) -> StaticFunction:
    """Return the static function of this name. Raise OSError, or ValueError for a damaged file or another table."""
    table = unpack(path.read_bytes())
    if table.name != name:
        raise ValueError(f"the table in it is {table.name}: {book.REMEDY}")
    return table


def load_or_warn() -> EarlyValues | None:
    """Return the table. Warn and return None if its file is missing or damaged."""
    return book.read_or_warn(VARIANT, NAME, load)


def file() -> Path:
    """Return the path of the table's file."""
    return book.file_of(NAME)
