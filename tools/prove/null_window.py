"""The null-window search for four in a row in Python: slow and simple, for proofs and tests.

It answers one question: is the score of a position at least a goal? A score is for the side to move: 0 is a draw, a win with
the winner's n-th mark is 22 - n, and a loss is the negative of that. The compiled search
(:mod:`noughts.engine.four_in_a_row.score_search`) gives the same answers. The proofs use this one, so what one program
found is checked by another.

The ideas are common knowledge of this game: two masks with a bar bit and a unique sum (J. Tromp's Fhourstones), moves that
do not lose at once and move ordering by threats (P. Pons' tutorial), replies above each mark of the opponent (V. Allis'
claimeven: :mod:`tools.prove.claimeven`).
"""

from __future__ import annotations

from typing import Final, Protocol

from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.masks import BOTTOM, COLUMNS_CENTRE_FIRST, EVEN_ROWS, FULL, ODD_ROWS, winning
from tools.prove.claimeven import highest_value

TABLE_SIZE: Final = 400_000
UNKNOWN: Final = (-21, 21)
"""The bounds of a score that is not in the table."""


class Answers(Protocol):
    """What a proof asks of a search: the answer of :meth:`NullWindowSearch.score_reaches`."""

    def score_reaches(self, me: int, occupied: int, ply: int, goal: int) -> bool: ...


class NullWindowSearch:
    """The search with its table of bounds, by the sum of a position. It keeps the table from one call to the next."""

    def __init__(self, size: int = TABLE_SIZE) -> None:
        """Keep at most ``size`` entries, about 200 bytes each. A full table is cleared. Allow as many nodes as it takes."""
        self.nodes = 0
        self._size = size
        self._bounds: dict[int, tuple[int, int]] = {}
        self._node_limit = 1 << 60

    def clear(self) -> None:
        """Clear the table."""
        self._bounds.clear()

    def allow(self, nodes: int) -> None:
        """Allow the next searches ``nodes`` in all. Beyond that they raise OutOfTimeError, and the table remains valid."""
        self._node_limit = self.nodes + nodes

    def score_reaches(self, me: int, occupied: int, ply: int, goal: int) -> bool:
        """Return whether the score of a position in play is at least ``goal``. Raise OutOfTimeError.

        ``me`` are the marks of the side to move, ``occupied`` all marks.
        """
        free_now = (occupied + BOTTOM) & FULL
        if winning(me, occupied) & free_now:
            return goal <= (43 - ply) >> 1
        threats = winning(me ^ occupied, occupied)
        moves = safe_moves(free_now, threats)
        if not moves:
            return goal <= -((42 - ply) >> 1)
        if goal > (41 - ply) >> 1:
            return False
        if goal <= -((40 - ply) >> 1):
            return True  # the opponent cannot win sooner than with the mark after the next
        lower, upper = self._bounds.get(me + occupied, UNKNOWN)
        if goal <= lower or goal > upper:
            return goal <= lower
        self.nodes += 1
        if self.nodes > self._node_limit:
            raise OutOfTimeError
        reached = self._reaches_by(moves, me, occupied, ply, goal, threats)
        if len(self._bounds) >= self._size:
            self._bounds.clear()
        self._bounds[me + occupied] = (goal, upper) if reached else (lower, goal - 1)
        return reached

    def _reaches_by(self, moves: int, me: int, occupied: int, ply: int, goal: int, threats: int) -> bool:
        """Return whether one of the moves reaches the goal. The opponent would complete a line in ``threats``."""
        opponent = me ^ occupied
        good_rows = EVEN_ROWS if ply & 1 else ODD_ROWS
        order = []
        for column in COLUMNS_CENTRE_FIRST:
            move = moves & column
            if not move:
                continue
            after = occupied | move
            completing = winning(me | move, after)
            if self._bounds.get(opponent + after, UNKNOWN)[1] < 1 - goal or loses_soon(after, completing):
                return True
            if goal <= 1 and highest_value(opponent, me | move, after, completing, ply + 1) < min(1, 1 - goal):
                return True
            # A threat above one of the opponent's is worth nothing. In a row that falls to this side it is worth more.
            useful = completing & ~(threats << 1)
            order.append((-2 * useful.bit_count() - (useful & good_rows).bit_count(), move))
        order.sort(key=lambda item: item[0])
        return any(not self.score_reaches(opponent, occupied | move, ply + 1, 1 - goal) for _, move in order)


def loses_soon(occupied: int, threats: int) -> bool:
    """Return whether the side to move cannot stop the opponent from completing a line with its next mark."""
    return not safe_moves((occupied + BOTTOM) & FULL, threats)


def safe_moves(free_now: int, threats: int) -> int:
    """Return the moves after which the opponent completes no line at once. ``threats`` are the cells where it would."""
    forced = free_now & threats
    if forced & (forced - 1):
        return 0
    return (forced or free_now) & ~(threats >> 1)
