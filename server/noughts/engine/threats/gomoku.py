"""Gomoku, five or more in a line on 15x15, and every other plane board that is too large to solve."""

from __future__ import annotations

import random

from noughts.engine.budget import Budget
from noughts.engine.threats.kernel import ThreatAnalysis, ThreatKernel
from noughts.engine.verdict import UNKNOWN
from noughts.rules.position import Position, sides


class GomokuKernel(ThreatKernel):
    """The threat search on a large board.

    Every row of six holds two lines of exactly five cells, so longer rows need no rule of their own.
    """

    depth = 40

    def _most_promising(self, position: Position, analysis: ThreatAnalysis, budget: Budget, rng: random.Random) -> int:
        """Return a cell. Use the whole budget while the game is undecided.

        Alpha-beta and the look whether the opponent would win by threes take turns. A move that loses to threes is left
        out, and after a look without such a win alpha-beta goes deeper. What it has searched is in its table.
        """
        own, other = sides(position)
        search = self._searches.alpha_beta(position.x, position.o, budget)
        ranked = search.ranked(analysis.playable, rng)
        if len(ranked) == 1:
            return ranked[0]
        cells = self._safe_from_threes(own, other, ranked, budget.share(0.25))[: 2 * self.width]
        likeliest = cells
        safe = -1
        while True:
            part = budget.share(0.6)
            search.continue_until(part)
            cells, _ = search.order(position.ply & 1, cells, self.width, self.depth)
            first = cells[0]
            if analysis.verdict != UNKNOWN or first == safe:
                if part.left() > 0.0 or budget.left() <= 0.0 or analysis.verdict != UNKNOWN:
                    return first
            elif budget.left() <= 0.0:
                return first
            elif not self._win_by_threes(other, own | 1 << first, budget.share(0.5)):
                safe = first
            elif len(cells) > 1:
                cells = cells[1:]
            else:
                return likeliest[0]
