"""Proofs about positions of four in a row: their value, the columns that keep it, and how long a win takes.

All are answers of one search (:mod:`noughts.engine.four_in_a_row.score_search`), whose table they share.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.board import Board
from noughts.engine.four_in_a_row.score_search import ScoreSearch

UNLIMITED_NODES: Final = 1 << 40
LOOKUP_NODES: Final = 64
"""Enough to find answers that the table holds."""


class Proofs:
    """The proofs of one search."""

    def __init__(self, search: ScoreSearch) -> None:
        self.search = search

    def value(self, board: Board, budget: Budget, nodes: int) -> int | None:
        """Return 1, 0 or -1, or None if the nodes or the budget end first."""
        self.search.allow(nodes, budget)
        try:
            if self.search.score_reaches(*board, 1):
                return 1
            return 0 if self.search.score_reaches(*board, 0) else -1
        except OutOfTimeError:
            return None

    def _keeps(self, board: Board, column: int, goal: int) -> bool:
        """Return whether the score of a move is at least ``goal``, for the side that makes it. Raise OutOfTimeError."""
        if board.wins(column):
            return goal <= (43 - board.ply) >> 1
        after = board.after(column)
        if after.ply == 42:
            return goal <= 0
        answer = self.search.stored_answer(after.me, after.occupied, 1 - goal)
        return not (self.search.score_reaches(*after, 1 - goal) if answer is None else answer)

    def keeping(self, board: Board, value: int, budget: Budget, nodes: int = UNLIMITED_NODES) -> tuple[list[int], bool]:
        """Return the columns proved to keep the value, and whether no other does.

        The columns whose answer is in the table come first.
        """
        columns = board.columns()
        return (columns, True) if value < 0 else self._reaching(board, columns, value, budget, nodes)

    def _reaching(
        self, board: Board, columns: list[int], goal: int, budget: Budget, nodes: int
    ) -> tuple[list[int], bool]:
        """Return the columns proved to have at least this score, and whether no other of them has."""
        reaching = []
        hard = []
        for column in columns:
            self.search.allow(LOOKUP_NODES, None)
            try:
                if self._keeps(board, column, goal):
                    reaching.append(column)
            except OutOfTimeError:
                hard.append(column)
        self.search.allow(nodes, budget)
        try:
            reaching.extend(column for column in hard if self._keeps(board, column, goal))
        except OutOfTimeError:
            return reaching, False  # after a search for the value, the move that proved it is among them
        return reaching, True

    def score(self, board: Board, value: int, budget: Budget, nodes: int = UNLIMITED_NODES) -> int | None:
        """Return the score of a position whose value is known, or None if the nodes or the budget end first.

        The shortest games come first, because their proofs are the cheapest.
        """
        self.search.allow(nodes, budget)
        try:
            if value > 0:
                soonest = (43 - board.ply) >> 1
                return next((goal for goal in range(soonest, 1, -1) if self.search.score_reaches(*board, goal)), 1)
            if value < 0:
                soonest = -((42 - board.ply) >> 1)
                return next((end for end in range(soonest, -1) if not self.search.score_reaches(*board, end + 1)), -1)
        except OutOfTimeError:
            return None
        return 0

    def holding(self, board: Board, columns: list[int], score: int, budget: Budget) -> list[int]:
        """Return the columns that keep the exact score, only some of them if the budget ends first."""
        return self._reaching(board, columns, score, budget, UNLIMITED_NODES)[0]

    def longest(self, board: Board, columns: list[int], budget: Budget) -> tuple[list[int], int | None]:
        """Return the columns of a lost position that lose the latest, and its score, None if the budget ends first.

        Then the columns are those that are not proved to lose sooner than others.
        """
        columns = board.blocking(columns)
        self.search.allow(UNLIMITED_NODES, budget)
        for end in range(-((42 - board.ply) >> 1), -1):
            later: list[int] = []
            for number, column in enumerate(columns):
                try:
                    if self._keeps(board, column, end + 1):
                        later.append(column)
                except OutOfTimeError:
                    return later + columns[number:], None
            if not later:
                return columns, end
            columns = later
        return columns, -1

    def with_most_traps(self, board: Board, columns: list[int], value: int, budget: Budget) -> list[int]:
        """Return the columns, of those that keep a draw or a loss, after which the most replies are mistakes."""
        self.search.allow(UNLIMITED_NODES, budget)
        shares: dict[int, float] = {}
        try:
            for column in columns:
                after = board.after(column)
                replies = after.columns()
                mistakes = [
                    reply
                    for reply in replies
                    if not after.wins(reply)
                    and after.ply < 41
                    and self.search.score_reaches(*after.after(reply), value + 1)
                ]
                shares[column] = len(mistakes) / max(1, len(replies))
        except OutOfTimeError:
            pass
        most = max(shares.values(), default=0.0)
        return [column for column in columns if shares.get(column, 0.0) == most] or columns
