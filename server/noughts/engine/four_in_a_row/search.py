"""Null-window search for four in a row (seven columns, six rows, gravity) on bit boards.

A position is two masks, ``me`` (marks of the side to move) and ``occupied`` (all marks), column by column. One bit on
top of each column is always free, so that no line and no addition runs from one column into the next::

     6 13 20 27 34 41 48   <- always free
     5 12 19 26 33 40 47      row 1 of the board (a1 … g1)
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42      row 6, where the first marks fall

``occupied + BOTTOM`` carries through each column to its lowest free bit. ``me + occupied`` is unique for a position: in
each column it is the marks of one side above a bar as high as the column.

A score is for the side to move: 0 is a draw, a win with the winner's n-th mark is 22 - n, and a loss is the negative of
that. :meth:`NullWindowSearch.reaches` answers one question: is the score at least a goal?

The ideas are common knowledge of this game: two masks with a bar bit and a unique sum (J. Tromp's Fhourstones), moves
that do not lose at once and move ordering by threats (P. Pons' tutorial), replies above each mark of the opponent
(V. Allis' claimeven). Two things keep plain Python fast. The cells that complete a line are computed once for each move
and passed down. The table is read for every successor before any of them is searched.

``noughts/engine/compiled/four_in_a_row.c`` is the same search in C. A change here belongs there too: the two visit the same
nodes.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError

BOTTOM: Final = 0b0000001_0000001_0000001_0000001_0000001_0000001_0000001
FULL: Final = 0b0111111_0111111_0111111_0111111_0111111_0111111_0111111
ODD_ROWS: Final = 0b0010101_0010101_0010101_0010101_0010101_0010101_0010101
"""The first, third and fifth cell of each column from below."""
EVEN_ROWS: Final = 0b0101010_0101010_0101010_0101010_0101010_0101010_0101010
COLUMNS_CENTRE_FIRST: Final = tuple(0b0111111 << 7 * column for column in (3, 2, 4, 1, 5, 0, 6))

NODES_PER_CHECK: Final = 1024
"""Nodes between two checks of the budget."""
NO_ENTRY: Final = -1
PROOF_NODES: Final = 400_000


def winning(marks: int, occupied: int) -> int:
    """Return the free cells, reachable now or later, where one more of ``marks`` completes a line.

    Three marks of a line of four always hold two neighbours. The gap is next to that pair, or one cell further.
    """
    completing = (marks << 1) & (marks << 2) & (marks << 3)
    pairs = marks & (marks << 7)  # along the row: cells whose left neighbour is marked as well
    if pairs:
        completing |= (pairs << 7 & (marks << 21 | marks >> 7)) | (pairs >> 14 & (marks << 7 | marks >> 21))
    pairs = marks & (marks << 6)
    if pairs:
        completing |= (pairs << 6 & (marks << 18 | marks >> 6)) | (pairs >> 12 & (marks << 6 | marks >> 18))
    pairs = marks & (marks << 8)
    if pairs:
        completing |= (pairs << 8 & (marks << 24 | marks >> 8)) | (pairs >> 16 & (marks << 8 | marks >> 24))
    return completing & (occupied ^ FULL)


def has_line(marks: int) -> bool:
    """Return whether four of ``marks`` are in a line."""
    pairs = marks & (marks >> 1)
    if pairs & (pairs >> 2):
        return True
    pairs = marks & (marks >> 7)
    if pairs & (pairs >> 14):
        return True
    pairs = marks & (marks >> 6)
    if pairs & (pairs >> 12):
        return True
    pairs = marks & (marks >> 8)
    return (pairs & (pairs >> 16)) != 0


def bits(mask: int) -> int:
    """Return how many bits are set. Masks here have few."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


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
        self.check_at = min(self.node_limit, self.nodes + NODES_PER_CHECK)

    def _check(self) -> None:
        if self.nodes >= self.node_limit:
            raise OutOfTimeError
        budget = self.budget
        if budget is not None:
            budget.check()
        self.check_at = min(self.node_limit, self.nodes + NODES_PER_CHECK)

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
        return goal <= (41 - ply) >> 1 and self.reaches(me, occupied, mine, theirs, moves, ply, goal)

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
        # Claimeven: with X to move and every column filled to an even height, O can reply above each mark to the end.
        # X then gets the free cells of the odd rows only.
        if goal >= 0 and not ply & 1 and not open_cells & EVEN_ROWS:
            free = occupied ^ FULL
            if not has_line(me | (free & ODD_ROWS)) and (goal > 0 or has_line(opponent | (free & EVEN_ROWS))):
                return False

        size = self.size
        table = self.table
        columns = self.columns
        enough = 22 - goal  # the goal of the opponent, 1 - goal, as the table writes it
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
            candidate = candidates[rank]
            candidate.move = move
            candidate.threats = threats
            candidate.replies = replies
            order.append((15 - bits(threats)) << 3 | rank)

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
