"""The proof of the table of early scores: a random sample by search, and everything that follows from the table.

A sample of the scores with eight marks is searched again to the end of the game. All scores with fewer marks are proved,
provided that those are right: each is the best of the scores after the moves. Each agrees with the table of values, whose
proof is :mod:`noughts.engine.four_in_a_row.early_proof`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from noughts.engine.book import NotProvedError
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import EarlyValues, undecided_keys
from noughts.engine.four_in_a_row.early_scores import MARKS, EarlyScores
from noughts.engine.four_in_a_row.search import Answers, NullWindowSearch


def prove_scores(
    scores: EarlyScores, values: EarlyValues, sample: int, rng: random.Random, progress: Callable[[int, int], None]
) -> int:
    """Prove what follows from the table, and a random sample of its last positions; return how many positions that are.

    Call ``progress`` with the number of positions so far, and of all of them. Raise
    :class:`~noughts.engine.book.NotProvedError`.
    """
    layers = [keys for marks, keys in enumerate(undecided_keys(MARKS)) if marks % 2 == 0]
    sampled = rng.sample(layers[-1], min(max(0, sample), len(layers[-1])))
    earlier = [key for keys in layers[:-1] for key in keys]
    total = len(earlier) + len(sampled)
    for done, key in enumerate(earlier):
        progress(done, total)
        prove_follows(scores, board_of_sum(key))
    for keys in layers:
        for key in keys:
            prove_agrees(scores, values, board_of_sum(key))
    search = NullWindowSearch()
    for done, key in enumerate(sampled, len(earlier)):
        progress(done, total)
        prove_by_search(scores, board_of_sum(key), search)
    progress(total, total)
    return total


def prove_follows(scores: EarlyScores, board: Board) -> None:
    """Prove that the score of a position follows from those after the moves. Raise NotProvedError."""
    if scores.score(board) != scores.best_score(board):
        raise NotProvedError(f"the table has another score for {board.sum} than for the moves from it")


def prove_agrees(scores: EarlyScores, values: EarlyValues, board: Board) -> None:
    """Prove that a position is won, drawn or lost by its score as by its value. Raise NotProvedError."""
    score = scores.score(board) or 0
    if (score > 0) - (score < 0) != values.value(board):
        raise NotProvedError(f"the table has a score for {board.sum} that its value refutes")


def prove_by_search(scores: EarlyScores, board: Board, search: Answers) -> None:
    """Prove the score of a position by a search to the end of the game. Raise NotProvedError."""
    score = scores.score(board) or 0
    if search.score_reaches(*board, score + 1) or not search.score_reaches(*board, score):
        raise NotProvedError(f"the table has a score for {board.sum} that the search refutes")
