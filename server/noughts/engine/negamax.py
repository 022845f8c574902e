"""Negamax: the kernel of every variant that has none of its own. It asks :mod:`noughts.engine.negamax_search`.

On a board that is small enough every position is solved. On a larger one the search goes one ply deeper at a time, best move
first, until the budget ends.
"""

from __future__ import annotations

import random

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.negamax_search import INFINITY, LARGEST_ESTIMATE, WIN, NegamaxSearch
from noughts.engine.one_ply import one_ply_move
from noughts.engine.solvable import is_exact
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant


class NegamaxKernel:
    """The kernel of one variant."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self._exact = is_exact(variant)
        self._search = NegamaxSearch(variant)

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._search.nodes

    # -- the kernel's interface -------------------------------------------------------------------------------------

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the value and the moves that keep it; ``UNKNOWN`` if the budget ends before the value is proved."""
        values = self.move_values(position, budget)
        legal = position.legal()
        proved = [cell for cell in legal if cell in values]
        complete = len(proved) == len(legal)
        if any(values[cell] > 0 for cell in proved):
            best = tuple(cell for cell in proved if values[cell] > 0)
        elif not complete:
            return Analysis(UNKNOWN, ())
        elif any(values[cell] == 0 for cell in proved):
            return Analysis(Verdict("draw", None, "exact"), tuple(cell for cell in proved if values[cell] == 0), True)
        else:
            best = legal
        return Analysis(self._counted(position, "win" if values[best[0]] > 0 else "loss", budget), best, complete)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return a move of perfect play on a board that is small enough, else the deepest search's move."""
        position = game.position
        if not self._exact:
            return self._deepen(position, budget, rng)
        analysis = self.analyse(position, budget)
        verdict = analysis.verdict
        if verdict.value == "unknown" or (verdict.value != "draw" and verdict.plies is None):
            return self._deepen(position, budget, rng)
        best: list[int] = list(analysis.best)
        try:
            if verdict.plies is not None:
                best = self._with_plies(position, best, verdict, budget)
            best = self._with_most_traps(position, best, budget)
        except OutOfTimeError:
            pass  # every move of ``best`` keeps the value
        return Choice(rng.choice(best), verdict)

    def move_values(self, position: Position, budget: Budget) -> dict[int, int]:
        """Return the value of each move as 1, 0 or -1, for as many moves as the budget allows, likely ones first."""
        values: dict[int, int] = {}
        legal = position.legal()
        try:
            for bit in self._search.order:
                cell = bit.bit_length() - 1
                if cell in legal:
                    score = self._after(position, cell, budget, -1, 1)
                    values[cell] = (score > 0) - (score < 0)
        except OutOfTimeError:
            pass
        return values

    def _after(self, position: Position, cell: int, budget: Budget, alpha: int, beta: int) -> int:
        """Return the score of a move for the side that makes it."""
        after = position.play(cell)
        outcome = after.ended(cell)
        if outcome is not None:
            if outcome.winner is None:
                return 0
            score = WIN + self._search.cells - after.ply
            return score if outcome.winner == position.turn else -score
        return -self._search.score(after, budget, -beta, -alpha)

    def _counted(self, position: Position, value: Value, budget: Budget) -> Verdict:
        """Return the verdict of a won or lost position, with its plies if the budget is enough to count them."""
        try:
            if value == "win":
                score = self._search.score(position, budget, WIN - 1, INFINITY)
            else:
                score = -self._search.score(position, budget, -INFINITY, 1 - WIN)
        except OutOfTimeError:
            return Verdict(value, None, "exact")
        return Verdict(value, WIN + self._search.cells - score - position.ply, "exact")

    def _with_plies(self, position: Position, best: list[int], verdict: Verdict, budget: Budget) -> list[int]:
        """Return the moves that win as soon, or lose as late, as the verdict says. Raise OutOfTimeError."""
        score = WIN + self._search.cells - position.ply - (verdict.plies or 0)
        if verdict.value == "loss":
            score = -score
        return [cell for cell in best if self._after(position, cell, budget, score - 1, score) >= score]

    def _with_most_traps(self, position: Position, best: list[int], budget: Budget) -> list[int]:
        """Return the moves after which the most replies are mistakes: they give value away. Raise OutOfTimeError."""
        if len(best) == 1:
            return best
        mistakes: dict[int, int] = {}
        for cell in best:
            after = position.play(cell)
            if after.ended(cell) is not None:
                mistakes[cell] = 0
                continue
            scores = [self._after(after, reply, budget, -1, 1) for reply in after.legal()]
            values = [(score > 0) - (score < 0) for score in scores]
            mistakes[cell] = sum(value < max(values) for value in values)
        most = max(mistakes.values())
        return [cell for cell in best if mistakes[cell] == most]

    def _deepen(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """Search one ply deeper at a time, best move first, until the budget ends or the value is proved."""
        me, op = sides(position)
        ply, cells = position.ply, position.legal()
        ordered = [bit for bit in self._search.order if bit.bit_length() - 1 in cells]
        choice, best_score, proved = 1 << one_ply_move(position, rng), 0, False
        try:
            for depth in range(1, self._search.cells - ply + 1):
                self._search.begin_depth(budget)
                alpha, moves = -INFINITY, []
                for bit in ordered:
                    score = self._search.move_score(me, op, bit, ply, depth, alpha)
                    if score > alpha:
                        alpha = score
                        moves = [bit]
                        if depth > 1:
                            choice = bit
                    # The window of later moves starts at alpha: their equal scores are bounds, not ties.
                best_score, choice = alpha, moves[0]
                ordered.remove(choice)
                if depth == 1:
                    rng.shuffle(ordered)
                    ordered.sort(key=lambda bit: -sum(line & bit != 0 for line in self._search.lines))
                ordered.insert(0, choice)
                if abs(alpha) >= LARGEST_ESTIMATE and WIN + self._search.cells - abs(alpha) - ply <= depth:
                    proved = True
                    break
                proved = depth == self._search.cells - ply
        except OutOfTimeError:
            pass
        cell = choice.bit_length() - 1
        if abs(best_score) >= LARGEST_ESTIMATE:
            plies = WIN + self._search.cells - abs(best_score) - ply
            return Choice(cell, Verdict("win" if best_score > 0 else "loss", plies if proved else None, "exact"))
        return Choice(cell, Verdict("draw", None, "exact") if proved else UNKNOWN)
