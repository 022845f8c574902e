"""The kernel of boards that are won by making threats: first proofs, then the most promising move.

It tries these steps in this order, each within a share of the remaining budget: complete a line; block the opponent's
line; win by fours; find every move that stops the opponent's win by fours; win by threes; stop the opponent's win by
threes; and last alpha-beta on patterns among the remaining moves. The first two need no search and work with no time at
all.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.endings import EndingSearch
from noughts.engine.threats.fours import (
    Defence,
    bits,
    board_of,
    completions,
    defend,
    neighbours,
    open_lines,
)
from noughts.engine.threats.last_stand import last_stand
from noughts.engine.threats.searches import fastest_searches
from noughts.engine.threats.threes import Scope
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant

_ENDING_CELLS: Final = 20  # with at most this many empty cells on open lines, search to the end of the game
_DEFENCE_LIMIT: Final = 2000  # positions of one search for a win of the opponent by threes
_STAGES: Final = ((Scope.LINKED, 0.3), (Scope.FULL, 0.75), (Scope.WIDE, 1.0))  # searches for wins by threes
_CANDIDATES: Final = 24  # cells to search for such a win after


class ThreatAnalysis(NamedTuple):
    """The verdict, the moves proved to keep it (bits), the moves not proved to lose, and whether no other move keeps it."""

    verdict: Verdict
    best: int
    playable: int
    complete: bool = False


class ThreatKernel:
    """A search for a variant without gravity in which filling a line wins."""

    # The largest width and depth of the alpha-beta.
    width = 10
    depth = 20

    def __init__(self, variant: Variant) -> None:
        if variant.gravity or variant.misere or variant.nested or variant.marks_kept is not None:
            raise ValueError(f"{variant.key} is not won by filling a line anywhere on the board")
        self._variant = variant
        self._board = board_of(variant)
        self._searches = fastest_searches(variant)

    @property
    def variant(self) -> Variant:
        """The variant that the kernel plays."""
        return self._variant

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return a verdict if the budget is enough to prove one, and the moves proved to keep it."""
        analysis = self._analyse(position, budget)
        best = tuple(bit.bit_length() - 1 for bit in bits(analysis.best))
        return Analysis(analysis.verdict, best, analysis.complete)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return a proved win, else the most promising of the moves that are not proved to lose."""
        position = game.position
        own, other = sides(position)
        if not own | other:
            return Choice(rng.choice(self._openings()), UNKNOWN)
        analysis = self._analyse(position, budget.share(0.5))
        if analysis.verdict.value == "win":
            cells = [bit.bit_length() - 1 for bit in bits(analysis.best)]
            return Choice(rng.choice(cells), analysis.verdict)
        return Choice(self._most_promising(position, analysis, budget, rng), analysis.verdict)

    def _most_promising(self, position: Position, analysis: ThreatAnalysis, budget: Budget, rng: random.Random) -> int:
        """Return a cell after an alpha-beta search, if possible one after which the opponent has no win by threes."""
        own, other = sides(position)
        search = self._searches.alpha_beta(position.x, position.o, budget.share(0.6))
        ranked = search.ranked(analysis.playable, rng)
        if len(ranked) > 1:
            ranked = self._safe_from_threes(own, other, ranked, budget.share(0.3))
        order, _ = search.order(position.ply & 1, ranked[: 2 * self.width], self.width, self.depth)
        if analysis.verdict == UNKNOWN:
            return self._first_safe(own, other, order, budget)
        return order[0]

    def _openings(self) -> list[int]:
        """Return the cells with the most lines through them, of these the nearest to the middle."""
        shape = self._variant.shape
        through = [len(self._board.through[1 << cell]) for cell in range(self._variant.cells)]

        def distance(cell: int) -> int:
            total = 0
            for size in shape:
                total += abs(2 * (cell % size) - (size - 1))
                cell //= size
            return total

        ranks = [(-count, distance(cell)) for cell, count in enumerate(through)]
        best = min(ranks)
        return [cell for cell, rank in enumerate(ranks) if rank == best]

    def _analyse(self, position: Position, budget: Budget) -> ThreatAnalysis:
        board = self._board
        own, other = sides(position)
        empty = board.full & ~(own | other)
        mine = open_lines(board, own, other)
        theirs = open_lines(board, other, own)
        if mine.fours:
            return ThreatAnalysis(Verdict("win", 1, "exact"), mine.fours, mine.fours)
        if theirs.fours & (theirs.fours - 1):
            return ThreatAnalysis(Verdict("loss", 2, "exact"), empty, theirs.fours, True)
        if not any(not line & own or not line & other for line in board.lines):
            return ThreatAnalysis(Verdict("draw", None, "exact"), empty, empty, True)
        try:
            win = self._win_by_fours(own, other, mine.pairs, theirs.fours, budget.share(0.5))
            if win is not None:
                return win
        except OutOfTimeError:
            pass
        playable = theirs.fours or empty
        defence = Defence(bool(theirs.fours), 0, 0, False)
        try:
            defence = defend(self._searches.fours(budget.share(0.6)), own, other)
            if defence.proved and not defence.holding:
                stand = last_stand(self._searches.fours(budget.share(0.5)), own, other, theirs.fours)
                longest = stand.moves or empty
                playable = longest & self._delaying_moves(own, other, mine.pairs) or longest
                return ThreatAnalysis(Verdict("loss", stand.plies, "exact"), empty, playable, True)
            if defence.threat:
                playable = defence.holding or defence.delays
        except OutOfTimeError:
            pass
        try:
            ending = self._solve_ending(own, other, empty, budget.share(0.5))
            if ending is not None:
                return ending._replace(playable=ending.best & playable) if playable & ending.best else ending
        except OutOfTimeError:
            pass
        moves = self._win_by_threes(own, other, budget.share(0.7 if defence.threat else 1.0))
        if moves:
            best = 0
            for bit in moves:
                best |= bit
            return ThreatAnalysis(Verdict("win", None, "exact"), best, best)
        if defence.threat and defence.proved:
            losing = self._lost_to_threes(own, other, playable, budget)
            if losing == playable:
                return ThreatAnalysis(Verdict("loss", None, "exact"), empty, playable, True)
            playable &= ~losing
        return ThreatAnalysis(UNKNOWN, 0, playable)

    def _solve_ending(self, own: int, other: int, empty: int, budget: Budget) -> ThreatAnalysis | None:
        """Return the exact value, or None if too many empty cells lie on open lines. Raise OutOfTimeError."""
        board = self._board
        useful = 0
        for line in board.lines:
            if not line & own or not line & other:
                useful |= line
        if (useful & empty).bit_count() > _ENDING_CELLS:
            return None
        values = EndingSearch(board, budget).values(own, other, empty, board.lines)
        best_value = max(values.values())
        best = 0
        for bit, value in values.items():
            if value == best_value:
                best |= bit
        names: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}
        return ThreatAnalysis(Verdict(names[best_value], None, "exact"), best, best, True)

    def _win_by_threes(self, own: int, other: int, budget: Budget) -> list[int]:
        """Return the moves (bits) proved to win by threes, none if the budget ends first.

        Each search tries more moves than the one before, and ends after a share of the time that is left.
        """
        for scope, share in _STAGES:
            moves = self._searches.threes(budget.share(share), scope=scope).solve(own, other)
            if moves or budget.left() <= 0.0:
                return moves
        return []

    def _lost_to_threes(self, own: int, other: int, moves: int, budget: Budget) -> int:
        """Return those of ``moves`` after which the opponent is proved to win by threes, as many as the budget allows."""
        search = self._searches.threes(budget)
        lost = 0
        for bit in bits(moves):
            if budget.left() <= 0.0:
                break
            if search.solve(other, own | bit, _DEFENCE_LIMIT):
                lost |= bit
        return lost

    def _win_by_fours(
        self, own: int, other: int, pairs: list[int], blocks: int, budget: Budget
    ) -> ThreatAnalysis | None:
        """Return a win by fours with every first move that wins as soon, or None. Raise OutOfTimeError."""
        board = self._board
        search = self._searches.fours(budget)
        win = search.solve(own, other, pairs, blocks)
        if win is None:
            return None
        best = win[0][0]
        length = len(win)
        try:
            for move, reply in neighbours(pairs).items():
                if blocks and move != blocks:
                    continue
                if reply & (reply - 1):
                    best |= move
                elif length > 1:
                    mine, theirs = own | move, other | reply
                    counter = completions(board, reply, theirs, mine)
                    after = open_lines(board, mine, theirs).pairs
                    if search.solve(mine, theirs, after, counter, length - 1) is not None:
                        best |= move
        except OutOfTimeError:
            pass
        # Every win in three plies makes two fours at once. If there is none, a win by fours in five plies is a soonest one.
        plies = {1: 3, 2: 5}.get(length)
        return ThreatAnalysis(Verdict("win", plies, "exact"), best, best)

    def _delaying_moves(self, own: int, other: int, pairs: list[int]) -> int:
        """Return the cells of both sides' pairs: in a lost position the hardest to play against."""
        cells = 0
        for pair in pairs + open_lines(self._board, other, own).pairs:
            cells |= pair
        return cells

    def _first_safe(self, own: int, other: int, order: list[int], budget: Budget) -> int:
        """Return the first cell of ``order`` after which no win of the opponent by threes is found in time.

        Each look takes at most half of the time that is left. If all looks find a win, return the first cell.
        """
        for cell in order:
            if budget.left() <= 0.0:
                break
            if not self._win_by_threes(other, own | 1 << cell, budget.share(0.5)):
                return cell
        return order[0]

    def _safe_from_threes(self, own: int, other: int, ranked: list[int], budget: Budget) -> list[int]:
        """Return the cells after which the search finds no win of the opponent by threes, all cells if there are none."""
        search = self._searches.threes(budget)
        if not search.solve(other, own, 2 * _DEFENCE_LIMIT):
            return ranked  # the opponent would have no such win even if it were to move now
        likeliest = 0
        for cell in ranked[:_CANDIDATES]:
            likeliest |= 1 << cell
        lost = self._lost_to_threes(own, other, likeliest, budget)
        return [cell for cell in ranked if not lost >> cell & 1] or ranked
