"""Null-window search for four in a row on the bit boards of :mod:`noughts.engine.four_in_a_row.masks`.

A score is for the side to move: 0 is a draw, a win with the winner's n-th mark is 22 - n, and a loss is the negative of
that. :meth:`NullWindowSearch.reaches` answers one question: is the score at least a goal?

The ideas are common knowledge of this game: two masks with a bar bit and a unique sum (J. Tromp's Fhourstones), moves that
do not lose at once and move ordering by threats (P. Pons' tutorial), replies above each mark of the opponent (V. Allis'
claimeven: :mod:`noughts.engine.four_in_a_row.claimeven`). Two things keep plain Python fast. The cells that complete a line
are computed once for each move and passed down. The table is read for every successor before any of them is searched.

``noughts/engine/compiled/four_in_a_row.c`` is the same search in C. A change here belongs there too: the two visit the same
nodes.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.claimeven import highest_value
from noughts.engine.four_in_a_row.masks import BOTTOM, COLUMNS_CENTRE_FIRST, EVEN_ROWS, FULL, ODD_ROWS, winning

NODES_PER_LOOK: Final = 1024
"""Nodes between two checks of the budget."""
NO_ENTRY: Final = -1
PROOF_NODES: Final = 400_000


class Candidate:
    """A move to search. There is one object for each ply and column, used again at every node."""

    __slots__ = ("move", "replies", "threats")

    def __init__(self) -> None:
        self.move = 0
        self.threats = 0
        self.replies = 0


class NullWindowSearch:
    """The search with its transposition table, which it keeps from one call to the next.

    An entry is ``sum << 12 | lower << 6 | upper``: the bounds of a score, moved up by 21 so that none is negative. A new
    entry replaces the old one at its index. ``size`` bounds the memory: 8 bytes an entry, about 50 once it is in use.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.proof_nodes: Final = PROOF_NODES
        """If this many nodes do not prove a value, a heuristic search is the better use of a move's time."""
        self.table: list[int] = [NO_ENTRY] * size
        self.nodes = 0
        self.node_limit = 0
        self.check_at = 0
        self.budget: Budget | None = None
        self.columns: list[int] = list(COLUMNS_CENTRE_FIRST)
        self.candidates: list[list[Candidate]] = [[Candidate() for _ in range(8)] for _ in range(42)]

    def clear(self) -> None:
        """Clear the table."""
        self.table = [NO_ENTRY] * self.size

    def allow(self, nodes: int, budget: Budget | None) -> None:
        """Allow the next searches ``nodes`` in all, and the time of ``budget``, None for no time limit.

        A search beyond that raises :class:`~noughts.engine.budget.OutOfTimeError`. Its table entries remain valid.
        """
        self.node_limit = self.nodes + nodes
        self.budget = budget
        self.check_at = min(self.node_limit, self.nodes + NODES_PER_LOOK)

    def _check(self) -> None:
        if self.nodes >= self.node_limit:
            raise OutOfTimeError
        budget = self.budget
        if budget is not None:
            budget.check()
        self.check_at = min(self.node_limit, self.nodes + NODES_PER_LOOK)

    def stored_answer(self, me: int, occupied: int, goal: int) -> bool | None:
        """Return whether the score is at least ``goal``, or None if the table does not have the answer."""
        entry = self.table[(me + occupied) % self.size]
        if entry >> 12 == me + occupied:
            if goal <= ((entry >> 6) & 63) - 21:
                return True
            if goal > (entry & 63) - 21:
                return False
        return None

    def score_reaches(self, me: int, occupied: int, ply: int, goal: int) -> bool:
        """Return whether the score of a position in play is at least ``goal``. Raise OutOfTimeError.

        After True, for a goal above every certain loss, the table holds the entry of a move that reaches the goal. This
        is so because the search does not read the entry of the position itself.
        """
        mine = winning(me, occupied)
        open_cells = (occupied + BOTTOM) & FULL
        if mine & open_cells:
            return goal <= (43 - ply) >> 1
        theirs = winning(me ^ occupied, occupied)
        moves = open_cells & theirs
        if moves & (moves - 1):
            moves = 0
        elif moves:
            moves &= ~(theirs >> 1)
        else:
            moves = open_cells & ~(theirs >> 1)
        if not moves:
            return goal <= -((42 - ply) >> 1)
        if goal > (41 - ply) >> 1 or (
            goal >= 0 and highest_value(me, me ^ occupied, occupied, theirs, ply) < min(goal, 1)
        ):
            return False
        return self.reaches(me, occupied, mine, theirs, moves, ply, goal)

    def reaches(self, me: int, occupied: int, mine: int, theirs: int, moves: int, ply: int, goal: int) -> bool:
        """Return whether the score is at least ``goal``, where neither side completes a line with its next mark.

        ``mine`` and ``theirs`` are the cells that would complete a line later. ``moves``, never empty, are the moves
        after which the opponent does not complete a line at once. The goal is no higher than a win with the mark after
        the next. Raise OutOfTimeError.
        """
        if goal <= -((40 - ply) >> 1):  # the opponent cannot win sooner than with the mark after the next
            return True  # from ply 40 on always: no goal there is above a draw
        self.nodes += 1
        if self.nodes >= self.check_at:
            self._check()
        opponent = me ^ occupied
        open_cells = (occupied + BOTTOM) & FULL
        size = self.size
        table = self.table
        columns = self.columns
        enough = 22 - goal  # the goal of the opponent, 1 - goal, as the table writes it
        least = min(1, 1 - goal)  # the goal of the opponent as a value
        good_rows = EVEN_ROWS if ply & 1 else ODD_ROWS
        candidates = self.candidates[ply]
        order: list[int] = []
        rank = 0
        remaining = moves
        while remaining:
            move = remaining & columns[rank]
            rank += 1
            if not move:
                continue
            remaining ^= move
            after = occupied | move
            entry = table[(opponent + after) % size]
            if entry >> 12 == opponent + after:
                if entry & 63 < enough:
                    return True
                if (entry >> 6) & 63 >= enough:
                    continue
            threats = winning(me | move, after)
            replies = (open_cells ^ move) | ((move << 1) & FULL)
            forced = replies & threats
            if forced:
                if forced & (forced - 1):
                    return True
                replies = forced
            replies &= ~(threats >> 1)
            if not replies:
                return True
            if (
                least >= 0
                and entry >> 12 != opponent + after
                and highest_value(opponent, me | move, after, threats, ply + 1) < least
            ):
                return True
            candidate = candidates[rank]
            candidate.move = move
            candidate.threats = threats
            candidate.replies = replies
            # A threat above one of the opponent's is worth nothing: the opponent's line comes first.
            useful = threats & ~(theirs << 1)
            weight = 8 * useful.bit_count() + 4 * (useful & good_rows).bit_count() - (3 if forced else 0)
            order.append((255 - weight) << 3 | rank)

        reached = False
        if order and goal <= (39 - ply) >> 1:  # none of these moves wins with the next mark
            if len(order) > 1:
                order.sort()
            for packed in order:
                candidate = candidates[packed & 7]
                move = candidate.move
                if not self.reaches(
                    opponent, occupied | move, theirs & ~move, candidate.threats, candidate.replies, ply + 1, 1 - goal
                ):
                    reached = True
                    break

        index = (me + occupied) % size
        entry = table[index]
        lower = 0
        upper = 42
        if entry >> 12 == me + occupied:
            upper = entry & 63
            lower = (entry >> 6) & 63
        if reached:
            lower = goal + 21
        else:
            upper = goal + 20
        table[index] = (me + occupied) << 12 | lower << 6 | upper
        return reached
