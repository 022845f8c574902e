"""The early positions of four in a row from two tables: the values up to twelve marks, and the scores up to eight.

A value is 1, 0 or -1. A score says how long the game goes on as well: a draw is 0, a win with the winner's n-th mark is
22 - n, and a loss is the negative of that. Both are for the side to move.

A table is a static function (:mod:`noughts.engine.static_function`). Its keys are the sums of the *undecided* positions, the
smaller one of a position and its mirror image. In an undecided position the side to move can neither complete a line nor is
bound to lose to the next reply: either no reply is forced, or filling one cell stops the opponent's line. All others are
decided at once. A table has the positions with an even number of marks. Another one has the best of what its moves have.

A static function has numbers from 0 to 3. A value is the number minus one. A score is three numbers, the digits of
``score + 32`` to the base four, the last one first. The key of a digit is the key of the position with the number of the
digit above its 49 bits.

The positions with most marks are searched to the end of the game, the others follow from them: see
``docs/explanation/books.md``.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final, Protocol, Self

from noughts.engine import book
from noughts.engine.four_in_a_row.board import Board
from noughts.engine.four_in_a_row.masks import BOTTOM, FULL, winning
from noughts.engine.static_function import StaticFunction, unpack

VARIANT: Final = "four-in-a-row"
DIGITS: Final = 3
OFFSET: Final = 32
_KEY_BITS: Final = 49


class Numbers(Protocol):
    """The number of each undecided position with an even number of marks, by its key."""

    def number(self, key: int) -> int: ...


class EarlyTable:
    """A table, asked by positions. They are in play, and legal moves from the empty board lead to them."""

    name: ClassVar[str]
    """The name of the table's file."""
    marks: ClassVar[int]
    """The most marks of a position in the table."""
    digits: ClassVar[int]
    """How many numbers of the static function make a value."""
    offset: ClassVar[int]
    """The difference between the number that the digits make and the value."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers

    @classmethod
    def file(cls) -> Path:
        """Return the path of the table's file."""
        return book.file_of(cls.name)

    @classmethod
    def load_numbers(cls) -> StaticFunction:
        """Return the static function of the table. Raise OSError, or ValueError for a damaged file or another table."""
        function = unpack(cls.file().read_bytes())
        if function.name != cls.name:
            raise ValueError(f"the table in it is {function.name}: {book.REMEDY}")
        return function

    @classmethod
    def load(cls) -> Self:
        """Return the table that comes with the program. Raise as :meth:`load_numbers` does."""
        return cls(cls.load_numbers())

    @classmethod
    def load_or_warn(cls) -> Self | None:
        """Return the table. Warn and return None if its file is missing or damaged."""
        return book.read_or_warn(VARIANT, cls.name, cls.load)

    def value(self, board: Board) -> int | None:
        """Return the value, or None for a position with more marks than the table has."""
        if board.ply > self.marks:
            return None
        sign = sign_at_once(board)
        if sign is not None:
            return self.decided(board, sign)
        if board.ply & 1:
            return self.best_value(board)
        key = board.key
        number = sum(self._numbers.number(digit_key(key, digit)) << 2 * digit for digit in range(self.digits))
        return number - self.offset

    def keeping(self, board: Board, value: int) -> list[int] | None:
        """Return the columns that keep the value of a position, or None if the table does not have the moves' values."""
        if board.ply >= self.marks:
            return None
        return [column for column in board.columns() if self.move_value(board, column) == value]

    def move_value(self, board: Board, column: int) -> int:
        """Return the value of a move for the side that makes it, in a position with fewer marks than the table has."""
        if board.wins(column):
            return self.decided(board, 1)
        value = self.value(board.after(column))
        assert value is not None
        return -value

    def best_value(self, board: Board) -> int:
        """Return the best of the values of the moves, in a position with fewer marks than the table has."""
        return max(self.move_value(board, column) for column in board.columns())

    @classmethod
    def decided(cls, board: Board, sign: int) -> int:
        """Return the value of a position that is won (1) with the next mark, or lost (-1) to the reply."""
        if cls.digits == 1:
            return sign
        return (43 - board.ply) >> 1 if sign > 0 else -((42 - board.ply) >> 1)


class EarlyValues(EarlyTable):
    """The table of values."""

    name = "four-in-a-row-values"
    marks = 12
    digits = 1
    offset = 1


class EarlyScores(EarlyTable):
    """The table of scores."""

    name = "four-in-a-row-scores"
    marks = 8
    digits = DIGITS
    offset = OFFSET


def digit_key(key: int, digit: int) -> int:
    """Return the table's key of one digit of the score of a position."""
    return key | digit << _KEY_BITS


def sign_at_once(board: Board) -> int | None:
    """Return 1 or -1 for a position that is decided by the next mark or the reply to it, None for an undecided one."""
    cells = (board.occupied + BOTTOM) & FULL
    if winning(board.me, board.occupied) & cells:
        return 1
    theirs = winning(board.me ^ board.occupied, board.occupied)
    forced = theirs & cells
    return -1 if forced & (forced - 1) or forced << 1 & theirs else None
