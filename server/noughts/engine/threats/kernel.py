"""The kernel of boards that are won by making threats: first what can be proved, then the best-looking move.

In this order, each within a share of what is left of the budget: complete a line; stop the opponent's; win by fours;
find every move that stops the opponent's win by fours; win by threes; stop the opponent's win by threes; and last
alpha-beta on patterns among the moves that are left. The first two need no search and come even with no time at all.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.endings import EndingSearch
from noughts.engine.threats.fours import Defence, FourSearch, bits, board_of, completions, defend, lacks, neighbours
from noughts.engine.threats.patterns import PatternSearch
from noughts.engine.threats.threes import ThreeSearch
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.position import Position
from noughts.rules.variant import Variant

_ENDING: Final = 20  # with no more useful cells than this, search to the end
_LOOK: Final = 2000  # positions for one question about a win of the opponent by threes
_CANDIDATES: Final = 24  # cells worth that question


class Study(NamedTuple):
    """What was proved: the verdict, the moves proved to keep it (bits), and the moves not proved to lose."""

    verdict: Verdict
    best: int
    playable: int


class ThreatKernel:
    """A search for a variant without gravity in which filling a line wins."""

    # The alpha-beta's width and depth at most.
    width = 10
    depth = 12

    def __init__(self, variant: Variant) -> None:
        if variant.gravity or variant.misere or variant.nested or variant.marks_kept is not None:
            raise ValueError(f"{variant.key} is not won by filling a line wherever one likes")
        self._variant = variant
        self._board = board_of(variant)

    @property
    def variant(self) -> Variant:
        return self._variant

    @property
    def exact(self) -> bool:
        return False

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        study = self._study(position, budget)
        return Analysis(study.verdict, tuple(bit.bit_length() - 1 for bit in bits(study.best)))

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        side = position.ply & 1
        own, other = (position.o, position.x) if side else (position.x, position.o)
        if not own | other:
            return Choice(rng.choice(self._openings()), UNKNOWN)
        study = self._study(position, budget.share(0.75))
        if study.verdict.value == "win":
            cells = [bit.bit_length() - 1 for bit in bits(study.best)]
            return Choice(rng.choice(cells), study.verdict)
        search = PatternSearch(self._variant, position.x, position.o, budget)
        ranked = search.ranked(study.playable, rng)
        if len(ranked) > 1:
            ranked = self._unthreatened(own, other, ranked, budget.share(0.4))
        cell, _ = search.best(side, ranked[: 2 * self.width], self.width, self.depth)
        return Choice(cell, study.verdict)

    def _openings(self) -> list[int]:
        """The cells that most lines go through, nearest to the middle."""
        shape = self._variant.shape
        through = [len(self._board.through[1 << cell]) for cell in range(self._variant.cells)]

        def off_middle(cell: int) -> int:
            away = 0
            for size in shape:
                away += abs(2 * (cell % size) - (size - 1))
                cell //= size
            return away

        ranks = [(-count, off_middle(cell)) for cell, count in enumerate(through)]
        best = min(ranks)
        return [cell for cell, rank in enumerate(ranks) if rank == best]

    def _study(self, position: Position, budget: Budget) -> Study:
        board = self._board
        side = position.ply & 1
        own, other = (position.o, position.x) if side else (position.x, position.o)
        empty = board.full & ~(own | other)
        mine = lacks(board, own, other)
        theirs = lacks(board, other, own)
        if mine.fours:
            return Study(Verdict("win", 1, "exact"), mine.fours, mine.fours)
        if theirs.fours & (theirs.fours - 1):
            return Study(Verdict("loss", 2, "exact"), empty, theirs.fours)
        if not any(not line & own or not line & other for line in board.lines):
            return Study(Verdict("draw", None, "exact"), empty, empty)
        try:
            found = self._fours(own, other, mine.pairs, theirs.fours, budget.share(0.5))
            if found is not None:
                return found
        except OutOfTimeError:
            pass
        playable = theirs.fours or empty
        defence = Defence(bool(theirs.fours), 0, 0, False)
        try:
            defence = defend(FourSearch(board, budget.share(0.6)), own, other)
            if defence.proved and not defence.holding:
                return Study(Verdict("loss", None, "exact"), empty, self._stubborn(own, other, mine.pairs) or empty)
            if defence.threat:
                playable = defence.holding or defence.delays
        except OutOfTimeError:
            pass
        try:
            solved = self._ending(own, other, empty, budget.share(0.5))
            if solved is not None:
                return solved
        except OutOfTimeError:
            pass
        attack = budget.share(0.7 if defence.threat else 1.0)
        moves = ThreeSearch(board, FourSearch(board, attack), attack).solve(own, other)
        if moves:
            best = 0
            for bit in moves:
                best |= bit
            return Study(Verdict("win", None, "exact"), best, best)
        if defence.threat and defence.proved:
            losing = self._lost_to_threes(own, other, playable, budget)
            if losing == playable:
                return Study(Verdict("loss", None, "exact"), empty, playable)
            playable &= ~losing
        return Study(UNKNOWN, 0, playable)

    def _ending(self, own: int, other: int, empty: int, budget: Budget) -> Study | None:
        """The exact value where few cells still lie on a line that somebody can fill."""
        board = self._board
        useful = 0
        for line in board.lines:
            if not line & own or not line & other:
                useful |= line
        if (useful & empty).bit_count() > _ENDING:
            return None
        values = EndingSearch(board, budget).values(own, other, empty, board.lines)
        top = max(values.values())
        best = 0
        for bit, value in values.items():
            if value == top:
                best |= bit
        value_of: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}
        return Study(Verdict(value_of[top], None, "exact"), best, best)

    def _lost_to_threes(self, own: int, other: int, moves: int, budget: Budget) -> int:
        """Those of ``moves`` after which the opponent is proved to win by threes."""
        search = ThreeSearch(self._board, FourSearch(self._board, budget), budget)
        lost = 0
        for bit in bits(moves):
            if budget.left() <= 0.0:
                break
            if search.solve(other, own | bit, _LOOK):
                lost |= bit
        return lost

    def _fours(self, own: int, other: int, pairs: list[int], must: int, budget: Budget) -> Study | None:
        """A win by fours, and every first move of one as short."""
        board = self._board
        search = FourSearch(board, budget)
        win = search.solve(own, other, pairs, must)
        if win is None:
            return None
        best = win[0][0]
        length = len(win)
        try:
            for move, reply in neighbours(pairs).items():
                if must and move != must:
                    continue
                if reply & (reply - 1):
                    best |= move
                elif length > 1:
                    mine, theirs = own | move, other | reply
                    counter = completions(board, reply, theirs, mine)
                    after = lacks(board, mine, theirs).pairs
                    if search.solve(mine, theirs, after, counter, length - 1) is not None:
                        best |= move
        except OutOfTimeError:
            pass
        # A win in three plies makes two fours at once. Where there is none, a win by fours in five plies is a soonest one.
        plies = {1: 3, 2: 5}.get(length)
        return Study(Verdict("win", plies, "exact"), best, best)

    def _stubborn(self, own: int, other: int, pairs: list[int]) -> int:
        """In a lost position, the moves that make the opponent find the win: cells of fours, its own and ours."""
        found = 0
        for pair in pairs + lacks(self._board, other, own).pairs:
            found |= pair
        return found

    def _unthreatened(self, own: int, other: int, ranked: list[int], budget: Budget) -> list[int]:
        """Of the cells, those after which no win of the opponent by threes is found, if there are any."""
        search = ThreeSearch(self._board, FourSearch(self._board, budget), budget)
        if not search.solve(other, own, 2 * _LOOK):
            return ranked  # not even if it were to move now
        likeliest = 0
        for cell in ranked[:_CANDIDATES]:
            likeliest |= 1 << cell
        lost = self._lost_to_threes(own, other, likeliest, budget)
        return [cell for cell in ranked if not lost >> cell & 1] or ranked
