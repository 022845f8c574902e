"""Four in a row: a book that wins every game that X begins, a search that proves the rest, and a guess where it cannot.

The book (:mod:`noughts.engine.four_in_a_row.book`) holds what X moves against everything that O may try; the search
(:mod:`noughts.engine.four_in_a_row.search`) wins from wherever the book ends, and proves most positions from the
sixteenth ply on.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from noughts.engine import book
from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.book import Board, book_move
from noughts.engine.four_in_a_row.heuristic import Guess
from noughts.engine.four_in_a_row.search import GravitySearch
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.position import Position
from noughts.rules.variant import Variant

TABLE_SIZE: Final = 524_287
CELL_BITS: Final = tuple(1 << 7 * (cell % 7) + 5 - cell // 7 for cell in range(42))
"""For each cell of the board its bit in the search's layout."""
PROOF_NODES: Final = 400_000
"""Where a move is wanted and this does not prove one, a guess is the better use of the time."""
GUESS_NODES: Final = 150_000
FOLLOW_NODES: Final = 50_000
"""For the replies that the book leaves to the search."""
ANY_NODES: Final = 1 << 40
GLANCE_NODES: Final = 64
"""Enough to find what the table knows already."""


def board_of(position: Position) -> Board:
    """The search's view of a position."""
    x = sum(bit for cell, bit in enumerate(CELL_BITS) if position.x >> cell & 1)
    o = sum(bit for cell, bit in enumerate(CELL_BITS) if position.o >> cell & 1)
    return Board(o if position.ply & 1 else x, x | o, position.ply)


def cell_of(bit: int) -> int:
    """The board's cell of one bit."""
    column, height = divmod(bit.bit_length() - 1, 7)
    return (5 - height) * 7 + column


class FourInARowKernel:
    """The kernel of 7 by 6 with gravity and lines of four."""

    def __init__(self, variant: Variant, entries: Mapping[int, int] | None = None) -> None:
        self.variant = variant
        self.exact = False
        self.search = GravitySearch(TABLE_SIZE)
        self._entries = entries

    @property
    def entries(self) -> Mapping[int, int]:
        """The book, read when it is first needed."""
        if self._entries is None:
            self._entries = book.load(self.variant.key).entries
        return self._entries

    # -- the kernel's interface -------------------------------------------------------------------------------------

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Win, draw or loss and every move that keeps it; then the plies, as far as the budget reaches."""
        seen = board_of(position)
        board = seen.canonical()
        verdict, columns = self._analysed(board, budget)
        return Analysis(verdict, tuple(sorted(_cell(seen, board, column) for column in columns)))

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """The soonest win, the latest loss; by the book, by proof, or by the best guess."""
        seen = board_of(position)
        board = seen.canonical()
        verdict, column = self._chosen(board, budget, rng)
        return Choice(_cell(seen, board, column), verdict)

    def _analysed(self, board: Board, budget: Budget) -> tuple[Verdict, list[int]]:
        known = self._by_book(board, budget)
        if known is not None:
            return known
        value = self._value(board, budget, ANY_NODES)
        columns = [] if value is None else self._keeping(board, value, budget)
        if value is None or not columns:
            return UNKNOWN, []
        return _verdict(board, value, self._score(board, value, budget)), columns

    def _chosen(self, board: Board, budget: Budget, rng: random.Random) -> tuple[Verdict, int]:
        winners = [column for column in board.columns() if board.wins(column)]
        if winners:
            return Verdict("win", 1, "exact"), rng.choice(winners)
        known = self._by_book(board, budget)
        if known is not None:
            verdict, columns = known
            return verdict, columns[0] if verdict.value == "win" else self._guess(board, columns, budget, rng)
        value = self._value(board, budget.share(0.6), PROOF_NODES)
        columns = [] if value is None else self._keeping(board, value, budget.share(0.5))
        if value is None or not columns:
            return UNKNOWN, self._guess(board, board.columns(), budget, rng)
        score = self._score(board, value, budget.share(0.6))
        verdict = _verdict(board, value, score)
        if score is not None and score != 0:
            columns = self._holding(board, columns, score, budget) or columns
        elif value > 0:
            return verdict, columns[0]  # the one that the table knows best
        if value <= 0:
            columns = self._tempting(board, columns, value, budget)
        return verdict, rng.choice(columns)

    # -- the book ---------------------------------------------------------------------------------------------------

    def _by_book(self, board: Board, budget: Budget) -> tuple[Verdict, list[int]] | None:
        """What the book proves at once, or with a look at every move and reply and short searches for what the book
        leaves to them."""
        found = book_move(self.entries, board)
        if found is not None:
            plies = None if found.ends_at is None else found.ends_at - board.ply
            return Verdict("win", plies, "book"), [found.column]
        self.search.allow(FOLLOW_NODES, budget)
        try:
            if board.ply & 1:
                return (Verdict("loss", None, "book"), board.columns()) if self._lost_by_book(board) else None
            for column in board.columns():
                if self._lost_by_book(board.after(column)):
                    return Verdict("win", None, "book"), [column]
        except OutOfTimeError:
            return None  # the searches to come find the table filled
        return None

    def _lost_by_book(self, board: Board) -> bool:
        """Whether O, to move, meets an entry of the book or a proof wherever it moves, and an entry at least once."""
        replies = [board.after(column) for column in board.columns()]
        hard = [reply for reply in replies if book_move(self.entries, reply) is None]
        if len(hard) == len(replies) or any(board.wins(column) for column in board.columns()):
            return False
        return all(self.search.score_reaches(*reply.canonical(), 1) for reply in hard)

    # -- proofs -----------------------------------------------------------------------------------------------------

    def _value(self, board: Board, budget: Budget, nodes: int) -> int | None:
        """1, 0 or -1, or None when nodes or budget end first."""
        self.search.allow(nodes, budget)
        try:
            if self.search.score_reaches(*board, 1):
                return 1
            return 0 if self.search.score_reaches(*board, 0) else -1
        except OutOfTimeError:
            return None

    def _keeps(self, board: Board, column: int, goal: int) -> bool:
        """Whether the score after a move is at least ``goal`` for who makes it."""
        if board.wins(column):
            return goal <= (43 - board.ply) >> 1
        after = board.after(column)
        if after.ply == 42:
            return goal <= 0
        known = self.search.knows(after.me, after.taken, 1 - goal)
        return not (self.search.score_reaches(*after, 1 - goal) if known is None else known)

    def _keeping(self, board: Board, value: int, budget: Budget) -> list[int]:
        """The columns proved to keep the value, those that the table knows first."""
        columns = board.columns()
        if value < 0:
            return columns
        kept = []
        hard = []
        for column in columns:
            self.search.allow(GLANCE_NODES, None)
            try:
                if self._keeps(board, column, value):
                    kept.append(column)
            except OutOfTimeError:
                hard.append(column)
        self.search.allow(ANY_NODES, budget)
        try:
            kept.extend(column for column in hard if self._keeps(board, column, value))
        except OutOfTimeError:
            return kept  # a part; what proved the value itself is among those that the table knows
        return kept

    def _score(self, board: Board, value: int, budget: Budget) -> int | None:
        """The score, from its sign: the shortest ends are tried first, since they cost least. None out of time."""
        self.search.allow(ANY_NODES, budget)
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
        """Those columns that keep the very score; none when there was no time to tell."""
        self.search.allow(ANY_NODES, budget)
        try:
            return [column for column in columns if self._keeps(board, column, score)]
        except OutOfTimeError:
            return []

    def _tempting(self, board: Board, columns: list[int], value: int, budget: Budget) -> list[int]:
        """Of the columns that keep a draw or a loss, those with the largest part of replies that go wrong."""
        self.search.allow(ANY_NODES, budget)
        parts: dict[int, float] = {}
        try:
            for column in columns:
                after = board.after(column)
                replies = after.columns()
                wrong = [
                    reply
                    for reply in replies
                    if not after.wins(reply)
                    and after.ply < 41
                    and self.search.score_reaches(*after.after(reply), value + 1)
                ]
                parts[column] = len(wrong) / max(1, len(replies))
        except OutOfTimeError:
            pass
        most = max(parts.values(), default=0.0)
        return [column for column in columns if parts.get(column, 0.0) == most] or columns

    # -- guesses ----------------------------------------------------------------------------------------------------

    def _guess(self, board: Board, columns: list[int], budget: Budget, rng: random.Random) -> int:
        """The column that looks best, mirror images in either order."""
        shuffled = sorted(columns, key=lambda column: (abs(column - 3), rng.random()))
        moves = {board.move(column): column for column in shuffled}
        return moves[Guess(GUESS_NODES, budget).best(board.me, board.taken, board.ply, list(moves))]


def _verdict(board: Board, value: int, score: int | None) -> Verdict:
    name: Value = "win" if value > 0 else "loss" if value < 0 else "draw"
    if not score:
        return Verdict(name, None, "exact")
    marks = 22 - abs(score)  # of the winner, at the end
    x_wins = (score > 0) == (board.ply % 2 == 0)
    return Verdict(name, 2 * marks - x_wins - board.ply, "exact")


def _cell(seen: Board, searched: Board, column: int) -> int:
    """The cell that a move to the column of the searched image fills on the board that was seen."""
    return cell_of(seen.move(column if searched == seen else 6 - column))
