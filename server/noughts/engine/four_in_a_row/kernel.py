"""Four in a row: a book with which X wins every game that it begins, a search for proofs, and a heuristic search.

The book (:mod:`noughts.engine.four_in_a_row.book`) holds X's moves against every reply of O. The search for proofs
(:mod:`noughts.engine.four_in_a_row.search`) wins from every position at which the book ends, and it solves most
positions from the sixteenth ply on. The heuristic search moves where there is no proof in time.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from noughts.engine import book
from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.board import Board, board_of, cell_of
from noughts.engine.four_in_a_row.book import book_move
from noughts.engine.four_in_a_row.heuristic import HeuristicSearch
from noughts.engine.four_in_a_row.score_search import ScoreSearch, fastest_search
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position
from noughts.rules.variant import Variant

HEURISTIC_NODES: Final = 150_000
FOLLOW_NODES: Final = 50_000
"""For the replies that the book leaves to the search."""
UNLIMITED_NODES: Final = 1 << 40
LOOKUP_NODES: Final = 64
"""Enough to find answers that the table holds."""


class FourInARowKernel:
    """The kernel of 7 by 6 with gravity and lines of four."""

    def __init__(
        self, variant: Variant, entries: Mapping[int, int] | None = None, search: ScoreSearch | None = None
    ) -> None:
        """Use the book that comes with the program and the fastest search, unless others are given."""
        self.variant = variant
        self.search = search or fastest_search()
        self._entries = entries

    @property
    def entries(self) -> Mapping[int, int]:
        """The book, empty if its file is damaged. The file is read at the first access."""
        if self._entries is None:
            shipped = book.load_or_warn(self.variant.key)
            self._entries = {} if shipped is None else shipped.entries
        return self._entries

    # -- the kernel's interface -------------------------------------------------------------------------------------

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the value, every move that keeps it, and the plies if the budget is enough to count them."""
        original = board_of(position)
        board = original.canonical()
        verdict, columns, complete = self._analyse_board(board, budget)
        return Analysis(verdict, tuple(sorted(_cell(original, board, column) for column in columns)), complete)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the soonest win or the latest loss: by the book, by a proof, or by the heuristic search."""
        original = board_of(game.position)
        board = original.canonical()
        verdict, column = self._choose_column(board, budget, rng)
        return Choice(_cell(original, board, column), verdict)

    def _analyse_board(self, board: Board, budget: Budget) -> tuple[Verdict, list[int], bool]:
        """Return the verdict, the columns that keep it, and whether no other column does."""
        book_result = self._by_book(board, budget)
        if book_result is not None:
            verdict, columns = book_result
            return verdict, columns, verdict.value == "loss"
        value = self._value(board, budget, UNLIMITED_NODES)
        columns, complete = ([], False) if value is None else self._keeping(board, value, budget)
        if value is None or not columns:
            return UNKNOWN, [], False
        return _verdict(board, value, self._score(board, value, budget)), columns, complete

    def _choose_column(self, board: Board, budget: Budget, rng: random.Random) -> tuple[Verdict, int]:
        winners = [column for column in board.columns() if board.wins(column)]
        if winners:
            return Verdict("win", 1, "exact"), rng.choice(winners)
        book_result = self._by_book(board, budget)
        if book_result is not None:
            verdict, columns = book_result
            if verdict.value == "win":
                return verdict, columns[0]
            return verdict, self._heuristic(board, board.blocking(columns), budget, rng)
        value = self._value(board, budget.share(0.6), self.search.proof_nodes)
        columns = [] if value is None else self._keeping(board, value, budget.share(0.5))[0]
        if value is None or not columns:
            return UNKNOWN, self._heuristic(board, board.blocking(board.columns()), budget, rng)
        if value < 0:
            columns, score = self._longest(board, columns, budget.share(0.8))
            if score is None:
                return _verdict(board, value, None), self._heuristic(board, columns, budget, rng)
            columns = self._with_most_traps(board, columns, value, budget)
            return _verdict(board, value, score), rng.choice(columns)
        score = self._score(board, value, budget.share(0.6))
        verdict = _verdict(board, value, score)
        if score is not None and score != 0:
            columns = self._holding(board, columns, score, budget) or columns
        elif value > 0:
            return verdict, columns[0]  # the first one has the most in the table
        if not value:
            columns = self._with_most_traps(board, columns, value, budget)
        return verdict, rng.choice(columns)

    # -- the book ---------------------------------------------------------------------------------------------------

    def _by_book(self, board: Board, budget: Budget) -> tuple[Verdict, list[int]] | None:
        """Return a verdict from the book with the columns that keep it, or None.

        If the position is not in the book, its moves and replies may be. Short searches then prove the replies that the
        book leaves to them.
        """
        move = book_move(self.entries, board)
        if move is not None:
            plies = None if move.ends_at is None else move.ends_at - board.ply
            return Verdict("win", plies, "book"), [move.column]
        self.search.allow(FOLLOW_NODES, budget)
        try:
            if board.ply & 1:
                return (Verdict("loss", None, "book"), board.columns()) if self._lost_by_book(board) else None
            for column in board.columns():
                if self._lost_by_book(board.after(column)):
                    return Verdict("win", None, "book"), [column]
        except OutOfTimeError:
            return None  # later searches use the entries that this one left in the table
        return None

    def _lost_by_book(self, board: Board) -> bool:
        """Return whether every move of O leads to an entry or a proved win of X, and at least one to an entry."""
        replies = [board.after(column) for column in board.columns()]
        hard = [reply for reply in replies if book_move(self.entries, reply) is None]
        if len(hard) == len(replies) or any(board.wins(column) for column in board.columns()):
            return False
        return all(self.search.score_reaches(*reply.canonical(), 1) for reply in hard)

    # -- proofs -----------------------------------------------------------------------------------------------------

    def _value(self, board: Board, budget: Budget, nodes: int) -> int | None:
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

    def _keeping(self, board: Board, value: int, budget: Budget) -> tuple[list[int], bool]:
        """Return the columns proved to keep the value, and whether no other does.

        The columns whose answer is in the table come first.
        """
        columns = board.columns()
        if value < 0:
            return columns, True
        keeping = []
        hard = []
        for column in columns:
            self.search.allow(LOOKUP_NODES, None)
            try:
                if self._keeps(board, column, value):
                    keeping.append(column)
            except OutOfTimeError:
                hard.append(column)
        self.search.allow(UNLIMITED_NODES, budget)
        try:
            keeping.extend(column for column in hard if self._keeps(board, column, value))
        except OutOfTimeError:
            return keeping, False  # the move that proved the value is among them: its answer is in the table
        return keeping, True

    def _score(self, board: Board, value: int, budget: Budget) -> int | None:
        """Return the score of a position whose value is known, or None if the budget ends first.

        The shortest games come first, because their proofs are the cheapest.
        """
        self.search.allow(UNLIMITED_NODES, budget)
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

    def _holding(self, board: Board, columns: list[int], score: int, budget: Budget) -> list[int]:
        """Return the columns that keep the exact score, none if the budget ends first."""
        self.search.allow(UNLIMITED_NODES, budget)
        try:
            return [column for column in columns if self._keeps(board, column, score)]
        except OutOfTimeError:
            return []

    def _longest(self, board: Board, columns: list[int], budget: Budget) -> tuple[list[int], int | None]:
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

    def _with_most_traps(self, board: Board, columns: list[int], value: int, budget: Budget) -> list[int]:
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

    # -- heuristics -------------------------------------------------------------------------------------------------

    def _heuristic(self, board: Board, columns: list[int], budget: Budget, rng: random.Random) -> int:
        """Return the column that the heuristic search prefers. Two mirror images are tried in random order."""
        shuffled = sorted(columns, key=lambda column: (abs(column - 3), rng.random()))
        moves = {board.move(column): column for column in shuffled}
        return moves[HeuristicSearch(HEURISTIC_NODES, budget).best(board.me, board.occupied, board.ply, list(moves))]


def _verdict(board: Board, value: int, score: int | None) -> Verdict:
    name: Value = "win" if value > 0 else "loss" if value < 0 else "draw"
    if not score:
        return Verdict(name, None, "exact")
    marks = 22 - abs(score)  # of the winner, at the end
    x_wins = (score > 0) == (board.ply % 2 == 0)
    return Verdict(name, 2 * marks - x_wins - board.ply, "exact")


def _cell(original: Board, board: Board, column: int) -> int:
    """Return the cell of a move to the column of ``board``, which is ``original`` or its mirror image."""
    return cell_of(original.move(column if board == original else 6 - column))
