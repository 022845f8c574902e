"""The proof of the table of early positions: a random sample by search, and everything that follows from the table.

No short proof of the whole table is known: its positions with most marks took hours of search. A sample of them is searched
again to the end of the game. All values with fewer marks are proved, provided that those with most marks are right: each is
the best of the values after the moves. With that the empty board is won by the centre alone, and the book agrees.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from noughts.engine.book import NotProvedError
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.book import book_move
from noughts.engine.four_in_a_row.early import MARKS, EarlyValues, undecided_keys, value_at_once
from noughts.engine.four_in_a_row.search import Answers, NullWindowSearch

CENTRE: Final = 3
EMPTY: Final = Board(0, 0, 0)


def prove_values(
    table: EarlyValues,
    entries: Mapping[int, int],
    sample: int,
    rng: random.Random,
    progress: Callable[[int, int], None],
) -> int:
    """Prove what follows from the table, and a random sample of its last positions; return how many positions that are.

    Call ``progress`` with the number of positions so far, and of all of them. Raise
    :class:`~noughts.engine.book.NotProvedError`.
    """
    layers = [keys for marks, keys in enumerate(undecided_keys(MARKS - 2)) if marks % 2 == 0]
    total = sum(map(len, layers)) + max(0, sample)
    done = 0
    for keys in layers:
        for key in keys:
            progress(done, total)
            prove_follows(table, board_of_sum(key))
            done += 1
    if table.value(EMPTY) != 1 or table.keeping(EMPTY, 1) != [CENTRE]:
        raise NotProvedError("by the table the empty board is not won by the centre alone")
    prove_book_agrees(table, entries)
    search = NullWindowSearch()
    for _ in range(sample):
        progress(done, total)
        prove_by_search(table, random_last(layers[-1], rng), search)
        done += 1
    progress(done, total)
    return done


def random_last(keys: list[int], rng: random.Random) -> Board:
    """Return a random undecided position with as many marks as the table has, two moves after one of these."""
    while True:
        board = board_of_sum(rng.choice(keys))
        after = board.after(rng.choice(board.columns()))
        column = rng.choice(after.columns())
        last = after.after(column)
        if not after.wins(column) and value_at_once(last) is None:
            return last.canonical()


def prove_follows(table: EarlyValues, board: Board) -> None:
    """Prove that the value of a position follows from those after the moves. Raise NotProvedError."""
    if table.value(board) != max(table.move_value(board, column) for column in board.columns()):
        raise NotProvedError(f"the table has another value for {board.sum} than for the moves from it")


def prove_book_agrees(table: EarlyValues, entries: Mapping[int, int]) -> None:
    """Compare the book with the table: each entry wins, and so does its move. Raise NotProvedError."""
    for key in entries:
        board = board_of_sum(key)
        move = book_move(entries, board)
        if move is None or board.ply > MARKS:
            continue
        wins = board.ply == MARKS or table.move_value(board, move.column) == 1
        if table.value(board) != 1 or not wins:
            raise NotProvedError(f"by the table the book's move from {key} does not win")


def prove_by_search(table: EarlyValues, board: Board, search: Answers) -> None:
    """Prove the value of a position by a search to the end of the game. Raise NotProvedError."""
    if table.value(board) != value_by_search(board, search):
        raise NotProvedError(f"the table has a value for {board.sum} that the search refutes")


def value_by_search(board: Board, search: Answers) -> int:
    """Return 1, 0 or -1, however long it takes."""
    if search.score_reaches(*board, 1):
        return 1
    return 0 if search.score_reaches(*board, 0) else -1
