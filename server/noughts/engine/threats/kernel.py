"""The kernel of boards that are won by making threats: first proofs, then the most promising move.

It tries these steps in this order, each within a share of the remaining budget: complete a line; block the opponent's
line; win by fours; find every move that stops the opponent's win by fours; win by threes; stop the opponent's win by
threes. The first two need no search and work with no time at all. Among the remaining moves alpha-beta chooses, and takes
turns with probes for a win of the opponent by threes.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.threats.defence import Defence, defend, longest_defence
from noughts.engine.threats.lines import bits, completions, neighbours, open_lines
from noughts.engine.threats.searches import Scope, Searches
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant

_ENDING_CELLS: Final = 20  # with at most this many empty cells on open lines, search to the end of the game
_DEFENCE_LIMIT: Final = 2000  # positions of one search for a win of the opponent by threes
_STAGES: Final = ((Scope.LINKED, 0.3), (Scope.FULL, 0.9), (Scope.WIDE, 1.0))  # searches for wins by threes

# How a move that is not decided divides its time.
FIRST_SEARCH_SHARE: Final = 0.45
"""Of the time: alpha-beta before the first probe."""
PROBE_SHARE: Final = 0.12
"""Of the time: the longest probe for a win of the opponent by threes."""
NEXT_SEARCH_SHARE: Final = 0.08
"""Of the time: alpha-beta after a probe that found such a win."""
NEXT_SEARCH_SHARE_LEFT: Final = 0.25
"""Of the time that is left: the longest such search, so that many moves can be left out."""
SAFE_SEARCH_SHARE: Final = 0.6
"""Of the time that is left: alpha-beta after a probe without such a win."""
LEAST_PROBE_SHARE: Final = 0.02
"""Of the time: with less left, neither a probe nor a search sees enough to change the move."""


class ThreatAnalysis(NamedTuple):
    """The verdict, the moves proved to keep it (bits), the moves not proved to lose, and whether no other move keeps it."""

    verdict: Verdict
    best: int
    playable: int
    complete: bool = False


class ThreatKernel:
    """A search for a variant without gravity in which filling a line wins."""

    # The largest depth of alpha-beta, and how many moves it compares.
    depth = 40
    moves = 20

    def __init__(self, variant: Variant, searches: Searches | None = None) -> None:
        """Use the compiled searches unless others are given. Raise ValueError for a variant that they cannot play."""
        if variant.gravity or variant.misere or variant.nested or variant.marks_kept is not None:
            raise ValueError(f"{variant.key} is not won by filling a line anywhere on the board")
        self._variant = variant
        self._searches = searches or Searches(variant)
        self._board = self._searches.board
        self._endings = NegamaxKernel(variant)

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
        """Return a cell. Use the whole budget while the game is undecided.

        Alpha-beta and probes take turns. A *probe* searches for a win of the opponent by threes after the best move. A
        move with such a win is left out. A move for which a probe finds none counts as safe, and alpha-beta goes deeper: its
        table keeps the results of the shorter searches. Where every move loses, play the one that alpha-beta preferred
        first.
        """
        own, other = sides(position)
        side = position.ply & 1
        total_s = budget.left()
        search = self._searches.alpha_beta(position.x, position.o, budget)
        cells = search.ranked(analysis.playable, rng)[: self.moves]
        part = budget.share(FIRST_SEARCH_SHARE)
        search.continue_until(part)
        cells, _ = search.order(side, cells, self.depth)
        preferred, last_safe = cells[0], -1
        if len(cells) == 1 or analysis.verdict != UNKNOWN:
            return preferred
        safe_cells: set[int] = set()
        while True:
            first = cells[0]
            left_s = budget.left()
            if left_s <= LEAST_PROBE_SHARE * total_s:
                return last_safe if safe_cells and first not in safe_cells else first
            if first in safe_cells and part.left() > 0.0:
                return first  # the search ended by itself
            if first in safe_cells or not self._win_by_threes(
                other, own | 1 << first, budget.at_most(PROBE_SHARE * total_s)
            ):
                safe_cells.add(first)
                last_safe = first
                part = budget.share(SAFE_SEARCH_SHARE)
            elif len(cells) > 1:
                cells = cells[1:]
                part = budget.at_most(min(NEXT_SEARCH_SHARE * total_s, NEXT_SEARCH_SHARE_LEFT * left_s))
            else:
                return preferred
            search.continue_until(part)
            cells, _ = search.order(side, cells, self.depth)

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
                lasting = longest_defence(self._searches.fours(budget.share(0.5)), own, other, theirs.fours)
                longest = lasting.moves or empty
                playable = longest & self._delaying_moves(own, other, mine.pairs) or longest
                return ThreatAnalysis(Verdict("loss", lasting.plies, "exact"), empty, playable, True)
            if defence.threat:
                playable = defence.holding or defence.delays
        except OutOfTimeError:
            pass
        ending = self._solve_ending(position, budget.share(0.5))
        if ending is not None:
            return ending._replace(playable=ending.best & playable) if playable & ending.best else ending
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

    def _solve_ending(self, position: Position, budget: Budget) -> ThreatAnalysis | None:
        """Return the exact value, or None if too many empty cells lie on open lines or the budget ends first."""
        useful = 0
        for line in self._board.lines:
            if not line & position.x or not line & position.o:
                useful |= line
        empty = self._board.full & ~(position.x | position.o)
        if (useful & empty).bit_count() > _ENDING_CELLS:
            return None
        values = self._endings.move_values(position, budget)
        if len(values) < empty.bit_count():
            return None
        best_value = max(values.values())
        best = sum(1 << cell for cell, value in values.items() if value == best_value)
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
