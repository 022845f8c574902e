"""The early positions of four in a row: how long each game with at most eight marks goes on, from a table.

A score is for the side to move. A draw is 0, a win with the winner's n-th mark is 22 - n, and a loss is the negative of
that. The table is a static function, as that of the values (:mod:`noughts.engine.four_in_a_row.early`): it has the scores of
the undecided positions with an even number of marks. The score of another one is the best of those after its moves.

A static function has numbers from 0 to 3. So a score is three numbers, the digits of ``score + 32`` to the base four, the
last one first. The key of a digit is the key of the position with the number of the digit above its 49 bits.

The scores with eight marks are searched to the end of the game, the others follow from them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from noughts.engine import book
from noughts.engine.four_in_a_row.board import Board
from noughts.engine.four_in_a_row.early import VARIANT, Numbers, load_function, value_at_once
from noughts.engine.static_function import StaticFunction

NAME: Final = "four-in-a-row-scores"
"""The name of the table's file."""
MARKS: Final = 8
DIGITS: Final = 3
OFFSET: Final = 32
_KEY_BITS: Final = 49


class EarlyScores:
    """The table, asked by positions."""

    def __init__(self, table: Numbers) -> None:
        self._table = table

    def score(self, board: Board) -> int | None:
        """Return the score for the side to move, or None for a position with more marks than the table has.

        The position is in play, and legal moves from the empty board lead to it.
        """
        if board.ply > MARKS:
            return None
        score = score_at_once(board)
        if score is None:
            score = self.best_score(board) if board.ply & 1 else self._number(board.key) - OFFSET
        return score

    def holding(self, board: Board, score: int) -> list[int] | None:
        """Return the columns that keep the score of a position, or None if the table does not have the moves' scores."""
        if board.ply >= MARKS:
            return None
        return [column for column in board.columns() if self.move_score(board, column) == score]

    def move_score(self, board: Board, column: int) -> int:
        """Return the score of a move for the side that makes it, in a position with fewer marks than the table has."""
        if board.wins(column):
            return (43 - board.ply) >> 1
        score = self.score(board.after(column))
        assert score is not None
        return -score

    def best_score(self, board: Board) -> int:
        """Return the best of the scores of the moves, in a position with fewer marks than the table has."""
        return max(self.move_score(board, column) for column in board.columns())

    def _number(self, key: int) -> int:
        return sum(self._table.number(digit_key(key, digit)) << 2 * digit for digit in range(DIGITS))


def digit_key(key: int, digit: int) -> int:
    """Return the table's key of one digit of the score of a position."""
    return key | digit << _KEY_BITS


def score_at_once(board: Board) -> int | None:
    """Return the score of a position that is decided by the next mark or the reply to it, None for an undecided one."""
    value = value_at_once(board)
    if value is None:
        return None
    return (43 - board.ply) >> 1 if value > 0 else -((42 - board.ply) >> 1)


def load() -> EarlyScores:
    """Return the table that comes with the program. Raise OSError, or ValueError for a damaged file."""
    return EarlyScores(load_table())


def load_table() -> StaticFunction:
    """Return the static function of the table. Raise OSError, or ValueError for a damaged file."""
    return load_function(file(), NAME)


def load_or_warn() -> EarlyScores | None:
    """Return the table. Warn and return None if its file is missing or damaged."""
    return book.read_or_warn(VARIANT, NAME, load)


def file() -> Path:
    """Return the path of the table's file."""
    return book.file_of(NAME)
