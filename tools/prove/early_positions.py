"""The proof of the tables of early positions: a random sample by search, and everything that follows from the tables.

No short proof of a whole table is known: its positions with most marks took hours of search. A sample of them is searched
again to the end of the game. All values with fewer marks are proved, provided that those with most marks are right: each is
the best of the values after the moves. With that the empty board is won by the centre alone, and the book and the scores
agree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import EarlyScores, EarlyTable, EarlyValues, sign_at_once
from tools.early_layers import even_layers
from tools.prove import NotProvedError
from tools.prove.null_window import Answers, NullWindowSearch
from tools.prove.strategy import book_move

CENTRE: Final = 3
EMPTY: Final = Board(0, 0, 0)
BEST_SCORE: Final = 21


def prove_tables(
    values: EarlyValues,
    scores: EarlyScores,
    entries: Mapping[int, int],
    samples: Mapping[EarlyTable, int],
    rng: random.Random,
    progress: Callable[[int, int], None],
) -> int:
    """Prove both tables, with a random sample of each, and that the book agrees. Return how many positions were proved.

    Call ``progress`` as :func:`prove_table` does, for each table from the start. Raise
    :class:`~tools.prove.NotProvedError`.
    """
    positions = prove_table(values, samples[values], rng, progress)
    prove_start(values)
    prove_book_agrees(values, entries)
    positions += prove_table(scores, samples[scores], rng, progress)
    prove_scores_agree(scores, values, even_layers(scores.marks))
    return positions


def prove_table(table: EarlyTable, sample: int, rng: random.Random, progress: Callable[[int, int], None]) -> int:
    """Prove what follows from the table, and a random sample of its last positions; return how many positions that are.

    Call ``progress`` with the number of positions so far, and of all of them. Raise
    :class:`~tools.prove.NotProvedError`.
    """
    layers = even_layers(table.marks - 2)
    total = sum(map(len, layers)) + max(0, sample)
    done = 0
    for keys in layers:
        for key in keys:
            progress(done, total)
            prove_follows(table, board_of_sum(key))
            done += 1
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
        if not after.wins(column) and sign_at_once(last) is None:
            return last.canonical()


def prove_follows(table: EarlyTable, board: Board) -> None:
    """Prove that the value of a position follows from those after the moves. Raise NotProvedError."""
    if table.value(board) != table.best_value(board):
        raise NotProvedError(f"{table.name} has another value for {board.sum} than for the moves from it")


def prove_by_search(table: EarlyTable, board: Board, search: Answers) -> None:
    """Prove the value of a position by a search to the end of the game. Raise NotProvedError."""
    value = table.value(board) or 0
    least = most = value
    if isinstance(table, EarlyValues):  # a win has any score from 1 on, a loss any score below 0
        least, most = (1, BEST_SCORE) if value > 0 else (-BEST_SCORE, -1) if value < 0 else (0, 0)
    if search.score_reaches(*board, most + 1) or not search.score_reaches(*board, least):
        raise NotProvedError(f"{table.name} has a value for {board.sum} that the search refutes")


def prove_start(values: EarlyValues) -> None:
    """Prove that the empty board is won by the centre alone. Raise NotProvedError."""
    if values.value(EMPTY) != 1 or values.keeping(EMPTY, 1) != [CENTRE]:
        raise NotProvedError("by the table the empty board is not won by the centre alone")


def prove_book_agrees(values: EarlyValues, entries: Mapping[int, int]) -> None:
    """Compare the book with the values: each entry wins, and so does its move. Raise NotProvedError."""
    for key in entries:
        board = board_of_sum(key)
        move = book_move(entries, board)
        if move is None or board.ply > values.marks:
            continue
        wins = board.ply == values.marks or values.move_value(board, move) == 1
        if values.value(board) != 1 or not wins:
            raise NotProvedError(f"by the table the book's move from {key} does not win")


def prove_scores_agree(scores: EarlyScores, values: EarlyValues, layers: list[list[int]]) -> None:
    """Prove that each position is won, drawn or lost by its score as by its value. Raise NotProvedError."""
    for board in (board_of_sum(key) for keys in layers for key in keys):
        score = scores.value(board) or 0
        if (score > 0) - (score < 0) != values.value(board):
            raise NotProvedError(f"the table has a score for {board.sum} that its value refutes")
