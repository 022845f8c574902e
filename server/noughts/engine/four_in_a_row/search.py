"""Null-window search for four in a row on the bit boards of :mod:`noughts.engine.four_in_a_row.masks`.

A score is for the side to move: 0 is a draw, a win with the winner's n-th mark is 22 - n, and a loss is the negative of
that. :meth:`NullWindowSearch.reaches` answers one question: is the score at least a goal?

The ideas are common knowledge of this game: two masks with a bar bit and a unique sum (J. Tromp's Fhourstones), moves that
do not lose at once and move ordering by threats (P. Pons' tutorial), replies above each mark of the opponent (V. Allis'
claimeven: :mod:`noughts.engine.four_in_a_row.claimeven`). Three things keep plain Python fast. The cells that complete a
line are looked up (:mod:`noughts.engine.four_in_a_row.cells`) and passed down. The table is read for every successor before
any of them is searched. No mask is negated, because Python takes longer for operations on negative numbers.

``noughts/engine/compiled/four_in_a_row.c`` is the same search in C. A change here belongs there too: the two visit the same
nodes.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row.cells import Moves
from noughts.engine.four_in_a_row.claimeven import highest_value, o_is_lost, x_is_held
from noughts.engine.four_in_a_row.masks import BOTTOM, EVEN_ROWS, FULL, ODD_ROWS, winning

NODES_PER_LOOK: Final = 1024
"""Nodes between two checks of the budget."""
NO_KEY: Final = -1
PROOF_NODES: Final = 400_000
NO_BOUNDS: Final = 42
_LOWER: Final = 0b111111_000000
_MOVES: Final = Moves()


class NullWindowSearch:
    """The search with its transposition table, which it keeps from one call to the next.

    An entry is a key, the sum of the position, and ``lower << 6 | upper``: the bounds of a score, moved up by 21 so that
    none is negative. A new entry replaces the old one at its index. ``size`` bounds the memory: 16 bytes an entry, about 80
    once it is in use.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.proof_nodes: Final = PROOF_NODES
        """If this many nodes do not prove a value, a heuristic search is the better use of a move's time."""
        self.keys: list[int] = [NO_KEY] * size
        self.bounds: list[int] = [NO_BOUNDS] * size
        self.nodes = 0
        self.node_limit = 0
        self.check_at = 0
        self.budget: Budget | None = None

    def clear(self) -> None:
        """Clear the table."""
        self.keys = [NO_KEY] * self.size

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
        index = (me + occupied) % self.size
        if self.keys[index] == me + occupied:
            bounds = self.bounds[index]
            if goal <= (bounds >> 6) - 21:
                return True
            if goal > (bounds & 63) - 21:
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
        before = opponent + occupied  # the sum of the position after a move is higher by the move
        rest = occupied ^ FULL
        open_cells = (occupied + BOTTOM) & FULL
        size = self.size
        keys = self.keys
        enough = 22 - goal  # the goal of the opponent, 1 - goal, as the table writes it
        above = theirs << 1
        o_moves, good_rows = (True, EVEN_ROWS) if ply & 1 else (False, ODD_ROWS)
        too_late = goal > (39 - ply) >> 1  # without a win with the next mark
        is_single = not moves & (moves - 1)
        reached = False
        order: list[tuple[int, int, int, int]] = []
        for rank, move, change, near, lines in _MOVES[moves]:
            key = before + move
            index = key % size
            is_new = keys[index] != key
            if not is_new:
                entry = self.bounds[index]
                if entry & 63 < enough:
                    return True
                if entry >> 6 >= enough:
                    continue
            rest_after = rest ^ move
            open_after = replies = open_cells ^ change
            threats = (mine | lines[me & near]) & rest_after
            forced = replies & threats
            if forced:
                if forced & (forced - 1):
                    return True
                replies = forced
            losing = replies & threats >> 1
            if losing:
                replies ^= losing
                if not replies:
                    return True
            if is_new and goal < 2:
                if o_moves:
                    if x_is_held(opponent, me | move, rest_after, open_after, threats, 1 - goal):
                        return True
                elif threats & ODD_ROWS and o_is_lost(opponent, rest_after, open_after, threats):
                    return True
            if is_single:
                order.append((0, move, threats, replies))
                break
            # A threat above one of the opponent's is worth nothing: the opponent's line comes first.
            useful = threats ^ threats & above
            weight = 8 * useful.bit_count() + 4 * (useful & good_rows).bit_count() - (3 if forced else 0)
            order.append(((255 - weight) << 3 | rank, move, threats, replies))

        if order and not too_late:
            order.sort()
            for _, move, threats, replies in order:
                if not self.reaches(
                    opponent, occupied | move, theirs ^ theirs & move, threats, replies, ply + 1, 1 - goal
                ):
                    reached = True
                    break

        key = me + occupied
        index = key % size
        entry = self.bounds[index] if keys[index] == key else NO_BOUNDS
        keys[index] = key
        self.bounds[index] = (goal + 21) << 6 | entry & 63 if reached else entry & _LOWER | (goal + 20)
        return reached
