"""What the games between two players say about their strength."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

Z_95: Final = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


class Tally(NamedTuple):
    """Wins, draws and losses of one player against another."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self)

    def plus(self, points: float) -> Tally:
        """Return the tally after one more game: 1 for a win, 0.5 for a draw, 0 for a loss."""
        return Tally(self.wins + (points == 1.0), self.draws + (points == 0.5), self.losses + (points == 0.0))


class EloDifference(NamedTuple):
    """How many Elo points one player is above another, with the ends of the 95 % interval. Each may be infinite."""

    value: float
    low: float
    high: float


def elo_difference(tally: Tally) -> EloDifference:
    """Return the Elo difference that a tally of at least one game suggests.

    The interval is Wilson's for a share of wins, in which a draw counts half (E. B. Wilson, 1927). It is wide enough for
    draws too, because they vary less. It never collapses, not even after wins only.
    """
    games = tally.games
    share = (tally.wins + tally.draws / 2) / games
    weight = Z_95 * Z_95 / games
    centre = (share + weight / 2) / (1 + weight)
    reach = Z_95 / (1 + weight) * math.sqrt(share * (1 - share) / games + weight / (4 * games))
    return EloDifference(_elo(share), _elo(centre - reach), _elo(centre + reach))


def _elo(share: float) -> float:
    """Return the Elo difference at which a player wins this share of the points."""
    if share <= 1e-12:
        return -math.inf
    if share >= 1 - 1e-12:
        return math.inf
    return -400.0 * math.log10(1.0 / share - 1.0)
