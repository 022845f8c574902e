"""Four in a row: the tables of early positions, the search for proofs, and the heuristic search.

One table (:mod:`noughts.engine.four_in_a_row.early`) has the value of every position with up to twelve marks, the other one
the plies of those with up to eight. The search for proofs (:mod:`noughts.engine.four_in_a_row.score_search`) knows the rest
within a second. The heuristic search moves where a weaker level, or a busy machine, leaves no time for a proof.
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import Final, NamedTuple

from noughts.engine.budget import Budget
from noughts.engine.four_in_a_row.board import Board, board_of, cell_of
from noughts.engine.four_in_a_row.early import EarlyScores, EarlyValues
from noughts.engine.four_in_a_row.heuristic import HeuristicSearch
from noughts.engine.four_in_a_row.proofs import UNLIMITED_NODES, Proofs
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Proof, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position
from noughts.rules.variant import Variant

HEURISTIC_NODES: Final = 150_000
SOONEST_SHARE: Final = 0.5
"""The part of a move's time in which a value that is known may be proved with its plies, and of the rest for its moves."""
PROOF_NODES: Final = 20_000_000
"""If this many nodes do not prove a value, a heuristic search is the better use of a move's time."""
EARLY_PLIES: Final = 8
EARLY_PLIES_SHARE: Final = 20
"""Before that ply, a search for the plies gets one in so many of the nodes of other proofs. Most take far more."""


class Known(NamedTuple):
    """What the tables know of a position.

    ``columns`` are known to keep the value, and if ``complete`` no others do. ``score`` is the exact score, and ``holding``
    are the columns that keep it.
    """

    value: int
    columns: list[int]
    complete: bool
    score: int | None = None
    holding: list[int] | None = None


class FourInARowKernel:
    """The kernel of 7 by 6 with gravity and lines of four."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.search = ScoreSearch()
        self.proofs = Proofs(self.search)

    @cached_property
    def early(self) -> EarlyValues | None:
        """The table of early positions, None if its file is damaged. The file is read at the first access."""
        return EarlyValues.load_or_warn()

    @cached_property
    def scores(self) -> EarlyScores | None:
        """The table of early scores, None if its file is damaged. The file is read at the first access."""
        return EarlyScores.load_or_warn()

    # -- the kernel's interface -------------------------------------------------------------------------------------

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the value, every move that keeps it, and the plies if the budget is enough to count them."""
        original = board_of(position)
        board = original.canonical()
        verdict, columns, complete = self._analyse_board(board, budget)
        return Analysis(verdict, tuple(sorted(_cell(original, board, column) for column in columns)), complete)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the soonest win or the latest loss: by the tables, by a proof, or by the heuristic search."""
        original = board_of(game.position)
        board = original.canonical()
        verdict, column = self._choose_column(board, budget, rng)
        return Choice(_cell(original, board, column), verdict)

    def _analyse_board(self, board: Board, budget: Budget) -> tuple[Verdict, list[int], bool]:
        """Return the verdict, the columns that keep it, and whether no other column does."""
        lookup = self._lookup(board)
        if lookup is not None:
            return self._analyse_looked_up(board, lookup, budget)
        value = self.proofs.value(board, budget, UNLIMITED_NODES)
        columns, complete = ([], False) if value is None else self.proofs.keeping(board, value, budget)
        if value is None or not columns:
            return UNKNOWN, [], False
        return _verdict(board, value, self.proofs.score(board, value, budget)), columns, complete

    def _analyse_looked_up(self, board: Board, lookup: Known, budget: Budget) -> tuple[Verdict, list[int], bool]:
        """Return the same as :meth:`_analyse_board`. The search proves what the tables lack: the columns, the plies."""
        value, columns, complete = lookup.value, lookup.columns, lookup.complete
        nodes = PROOF_NODES
        if not complete:
            columns, complete = self.proofs.keeping(board, value, budget, nodes)
        score = lookup.score
        if score is None:
            nodes = nodes // EARLY_PLIES_SHARE if board.ply < EARLY_PLIES else nodes
            score = self.proofs.score(board, value, budget, nodes)
        return _verdict(board, value, score, "book"), columns, complete

    def _choose_column(self, board: Board, budget: Budget, rng: random.Random) -> tuple[Verdict, int]:
        winners = [column for column in board.columns() if board.wins(column)]
        if winners:
            return Verdict("win", 1, "exact"), rng.choice(winners)
        lookup = self._lookup(board)
        if lookup is None:
            value = self.proofs.value(board, budget.share(0.6), PROOF_NODES)
            if value is None:
                return UNKNOWN, self._heuristic(board, board.blocking(board.columns()), budget, rng)
            return self._choose_proved(board, value, "exact", budget, rng)
        if lookup.complete:
            return self._choose_looked_up(board, lookup, budget, rng)
        self.proofs.value(
            board, budget.share(0.5), PROOF_NODES
        )  # it finds a move that wins sooner than a search of each
        return self._choose_proved(board, lookup.value, "book", budget, rng)

    def _choose_looked_up(self, board: Board, lookup: Known, budget: Budget, rng: random.Random) -> tuple[Verdict, int]:
        """Return the verdict and a column, where the tables know all columns that keep the value.

        A search looks for the soonest win or the latest loss, unless a table has it. The heuristic search has the rest of
        the time.
        """
        columns, score = lookup.columns, lookup.score
        if lookup.value < 0 and score is None:
            columns, score = self.proofs.longest(board, columns, budget.share(SOONEST_SHARE))
        elif lookup.value:
            if score is None:
                score = self.proofs.score(board, lookup.value, budget.share(SOONEST_SHARE))
            holding = lookup.holding
            if holding is None and score is not None:
                holding = self.proofs.holding(board, columns, score, budget.share(SOONEST_SHARE))
            columns, score = (holding, score) if holding else (lookup.columns, None)
        verdict = _verdict(board, lookup.value, score, "book")
        if score:
            return verdict, rng.choice(columns)
        return verdict, self._heuristic(board, board.blocking(columns), budget, rng)

    def _choose_proved(
        self, board: Board, value: int, proof: Proof, budget: Budget, rng: random.Random
    ) -> tuple[Verdict, int]:
        """Return the verdict and a column that keeps the value, which is proved."""
        proofs = self.proofs
        columns, _ = proofs.keeping(board, value, budget.share(0.5))
        if not columns:
            verdict = UNKNOWN if proof == "exact" else _verdict(board, value, None, proof)
            return verdict, self._heuristic(board, board.blocking(board.columns()), budget, rng)
        if value < 0:
            columns, score = proofs.longest(board, columns, budget.share(0.8))
            if score is None:
                return _verdict(board, value, None, proof), self._heuristic(board, columns, budget, rng)
            columns = proofs.with_most_traps(board, columns, value, budget)
            return _verdict(board, value, score, proof), rng.choice(columns)
        if not value:
            return _verdict(board, 0, None, proof), rng.choice(proofs.with_most_traps(board, columns, 0, budget))
        score = proofs.score(board, value, budget.share(0.6))
        holding = [] if score is None else proofs.holding(board, columns, score, budget)
        if holding:
            return _verdict(board, value, score, proof), rng.choice(holding)
        return _verdict(board, value, None, proof), columns[0]  # the first one has the most in the table

    # -- the tables -------------------------------------------------------------------------------------------------

    def _lookup(self, board: Board) -> Known | None:
        """Return what the tables know, or None if that is nothing."""
        value = None if self.early is None else self.early.value(board)
        if self.early is None or value is None:
            return None
        columns = self.early.keeping(board, value)
        complete = value < 0 or columns is not None
        if columns is None:
            columns = board.columns() if value < 0 else []
        score = None if self.scores is None else self.scores.value(board)
        holding = None if self.scores is None or score is None else self.scores.keeping(board, score)
        return Known(value, columns, complete, score, holding)

    # -- heuristics -------------------------------------------------------------------------------------------------

    def _heuristic(self, board: Board, columns: list[int], budget: Budget, rng: random.Random) -> int:
        """Return the column that the heuristic search prefers. Two mirror images are tried in random order."""
        shuffled = sorted(columns, key=lambda column: (abs(column - 3), rng.random()))
        moves = {board.move(column): column for column in shuffled}
        return moves[HeuristicSearch(HEURISTIC_NODES, budget).best(board.me, board.occupied, board.ply, list(moves))]


def _verdict(board: Board, value: int, score: int | None, proof: Proof = "exact") -> Verdict:
    name: Value = "win" if value > 0 else "loss" if value < 0 else "draw"
    if not score:
        return Verdict(name, None, proof)
    marks = 22 - abs(score)  # of the winner, at the end
    x_wins = (score > 0) == (board.ply % 2 == 0)
    return Verdict(name, 2 * marks - x_wins - board.ply, proof)


def _cell(original: Board, board: Board, column: int) -> int:
    """Return the cell of a move to the column of ``board``, which is ``original`` or its mirror image."""
    return cell_of(original.move(column if board == original else 6 - column))
