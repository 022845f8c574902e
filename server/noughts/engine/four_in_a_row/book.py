"""The book of four in a row: a strategy with which X wins against every reply of O.

It holds positions with X to move. A key is the sum of the masks of :mod:`noughts.engine.four_in_a_row.masks`, the
smaller one of the position and its mirror image. A value is ``column | end << 3``: the column of a winning move and the
ply at which X wins against the longest defence, ``ply = 2 * end + 5``; ``end`` is 0 where that ply is not proved.

The book ends where a short search proves the win. So it is a complete proof: every reply of O to the move of an entry is an
entry again, or a short search proves the win. :func:`prove_book` needs no longer search to prove every entry, and with them
the empty board. It uses the search in Python, which shares no code with the compiled one that made the book.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from noughts.engine.book import NotProvedError
from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.search import NullWindowSearch

PROOF_NODES: Final = 1_000_000
"""Of one search in the proof of the book. Most take some hundred nodes, the longest about 40,000."""
PROOF_TABLE: Final = 65_521


class BookMove(NamedTuple):
    """An entry of the book: X, to move, wins with this column, at the ply ``ends_at`` if that is proved."""

    column: int
    ends_at: int | None


def book_move(entries: Mapping[int, int], board: Board) -> BookMove | None:
    """Return the book's entry for a position or its mirror image, with the column of the position itself."""
    if board.ply & 1:
        return None
    key = board.key
    entry = entries.get(key)
    if entry is None:
        return None
    column = entry & 7
    return BookMove(column if board.sum == key else 6 - column, 2 * (entry >> 3) + 5 if entry >> 3 else None)


def book_entry(board: Board, move: BookMove) -> tuple[int, int]:
    """Return the key and the value of an entry: the inverse of :func:`book_move`."""
    key = board.key
    column = move.column if board.sum == key else 6 - move.column
    end = 0 if move.ends_at is None else (move.ends_at - 5) // 2
    return key, column | end << 3


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

    Raise :class:`~noughts.engine.book.NotProvedError`.
    """
    board = board_of_sum(key)
    move = book_move(entries, board)
    if move is None or board.sum != key or not board.move(move.column):
        raise NotProvedError(f"{key} is not a position with X to move, or its move is illegal")
    if board.wins(move.column):
        return
    after = board.after(move.column)
    for column in after.columns():
        if after.wins(column):
            raise NotProvedError(f"{key}: O wins after the move of the book")
        reply = after.after(column)
        if book_move(entries, reply) is None and not is_won(reply, search, nodes):
            raise NotProvedError(f"{key}: no entry and no proof after O moves to column {column}")


def prove_book(entries: Mapping[int, int], progress: Callable[[int, int], None]) -> int:
    """Prove every entry, and so that X wins from the empty board; return the nodes searched.

    Call ``progress`` with the number of proved entries and the number of all. Raise
    :class:`~noughts.engine.book.NotProvedError`.
    """
    if book_move(entries, Board(0, 0, 0)) is None:
        raise NotProvedError("the empty board is not in the book")
    search = NullWindowSearch(PROOF_TABLE)
    for done, key in enumerate(entries):
        progress(done, len(entries))
        prove_entry(entries, key, search)
    progress(len(entries), len(entries))
    return search.nodes
