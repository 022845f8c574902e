"""The book of four in a row: a strategy with which X wins against every reply of O.

It is a complete proof that X wins, and small. The engine does not read it: its tables and its search know all that it says.

It holds positions with X to move. A key is the sum of the masks of :mod:`noughts.engine.four_in_a_row.masks`, the
smaller one of the position and its mirror image. A value is the column of a winning move.

The book ends where a short search proves the win. Every reply of O to the move of an entry is an
entry again, or a short search proves the win. :func:`prove_book` needs no longer search to prove every entry, and with them
the empty board. It uses the search in Python, which shares no code with the compiled one that made the book.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from noughts.engine import book
from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from tools.prove import NotProvedError
from tools.prove.null_window import NullWindowSearch

FILE: Final = Path(__file__).with_name("four-in-a-row.book")
PROOF_NODES: Final = 1_000_000
"""Of one search in the proof of the book. Most take some hundred nodes, the longest about 40,000."""
PROOF_TABLE: Final = 65_521


def load() -> book.Book:
    """Return the book. Raise OSError, or ValueError if the file is damaged or is not that book."""
    return book.load("four-in-a-row", FILE)


def book_move(entries: Mapping[int, int], board: Board) -> int | None:
    """Return the winning column that the book has for a position or its mirror image, None if it has neither."""
    column = entries.get(board.key)
    if column is None or board.ply & 1:
        return None
    return column if board.sum == board.key else 6 - column


def is_won(board: Board, search: NullWindowSearch, nodes: int = PROOF_NODES) -> bool:
    """Return whether the side to move is proved to win, by at most so many nodes of a search with an empty table."""
    search.clear()
    search.allow(nodes)
    try:
        return search.score_reaches(*board.canonical(), 1)
    except OutOfTimeError:
        return False


def prove_entry(entries: Mapping[int, int], key: int, search: NullWindowSearch, nodes: int = PROOF_NODES) -> None:
    """Prove that X wins with the move of this entry, provided that it wins from the entries with more marks.

    Raise :class:`~tools.prove.NotProvedError`.
    """
    board = board_of_sum(key)
    column = book_move(entries, board)
    if column is None or board.sum != key or not board.move(column):
        raise NotProvedError(f"{key} is not a position with X to move, or its move is illegal")
    if board.wins(column):
        return
    after = board.after(column)
    for answer in after.columns():
        if after.wins(answer):
            raise NotProvedError(f"{key}: O wins after the move of the book")
        reply = after.after(answer)
        if book_move(entries, reply) is None and not is_won(reply, search, nodes):
            raise NotProvedError(f"{key}: no entry and no proof after O moves to column {answer}")


def prove_book(entries: Mapping[int, int], progress: Callable[[int, int], None]) -> int:
    """Prove every entry, and so that X wins from the empty board; return the nodes searched.

    Call ``progress`` with the number of proved entries and the number of all. Raise
    :class:`~tools.prove.NotProvedError`.
    """
    if book_move(entries, Board(0, 0, 0)) is None:
        raise NotProvedError("the empty board is not in the book")
    search = NullWindowSearch(PROOF_TABLE)
    for done, key in enumerate(entries):
        progress(done, len(entries))
        prove_entry(entries, key, search)
    progress(len(entries), len(entries))
    return search.nodes
