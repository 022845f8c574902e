"""Negamax with alpha-beta over bit masks: the search for every variant that has no kernel of its own.

Sources: Knuth & Moore 1975 (alpha-beta), Slate & Atkin 1977 (iterative deepening, transposition table), Pons'
"Solving Connect 4" (scores that count the moves left). A position is two masks, seen from the side to move::

    bit i = cell i        me: marks of the side to move     mine:   lines without a mark of the opponent
                          op: marks of the opponent         theirs: lines without a mark of the side to move

Scores for the side to move, where ``end`` is the ply at which the game ends. The masks alone decide that ply, so a
position has the same score on every path::

    WIN + cells - end   a win, higher if sooner     0   a draw     any other number: an estimate at a leaf
"""

from __future__ import annotations

from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.symmetry import CHUNK, permute, symmetries
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant, lines

WIN: Final = 1_000_000
INFINITY: Final = 2 * WIN
LARGEST_ESTIMATE: Final = WIN // 2
TABLE_LIMIT: Final = 300_000
NO_DEPTH_LIMIT: Final = 1_000  # a depth that no game reaches: the search goes to the end
_CHECK_MASK: Final = 0x1FF  # nodes between two readings of the clock, minus one
_CHECK_MASK_MANY_LINES: Final = 0x1F  # the same on boards with many lines, where a node takes long
_ONE_BYTE: Final = (1 << CHUNK) - 1


class NegamaxSearch:
    """The search for one variant. Its table of solved positions lives as long as the search."""

    def __init__(self, variant: Variant) -> None:
        self.variant: Final = variant
        self.nodes = 0
        """Nodes searched so far."""
        self.cells: Final = variant.cells
        self.lines: Final = lines(variant.shape, variant.line)
        through = [sum(line >> cell & 1 for line in self.lines) for cell in range(variant.cells)]
        self.order: Final = tuple(1 << cell for cell in sorted(range(variant.cells), key=lambda cell: -through[cell]))
        """The bits of the cells, those on the most lines first."""
        self._all = (1 << variant.cells) - 1
        self._images = symmetries(variant)
        self._two_chunks = CHUNK < variant.cells <= 2 * CHUNK
        # To compute all symmetric images takes as long as a few plies of search, so not near the end of a game.
        self._canonical_from = 0 if variant.cells <= 9 else variant.cells // 2
        self._solved: dict[int, tuple[int, int]] = {}
        self._table = self._solved
        self._floor = self._all >> variant.columns * (variant.rows - 1) << variant.columns * (variant.rows - 1)
        self._check_mask = _CHECK_MASK if len(self.lines) <= 100 else _CHECK_MASK_MANY_LINES
        self._budget: Budget | None = None

    def score(self, position: Position, budget: Budget, alpha: int = -INFINITY, beta: int = INFINITY) -> int:
        """Return the exact score of a position in play, if it is within the window (fail-soft). Raise OutOfTimeError."""
        me, op = sides(position)
        self._budget = budget
        self._table = self._solved
        if len(self._solved) > TABLE_LIMIT:
            self._solved.clear()
        mine = tuple([line for line in self.lines if not line & op])
        theirs = tuple([line for line in self.lines if not line & me])
        return self._search(me, op, mine, theirs, position.ply, NO_DEPTH_LIMIT, alpha, beta)

    def begin_depth(self, budget: Budget) -> None:
        """Begin to search moves to one depth, with an empty table: a table holds the scores of one depth."""
        self._budget = budget
        self._table = {}

    def move_score(self, me: int, op: int, bit: int, ply: int, depth: int, alpha: int) -> int:
        """Return the score of a move for the side that makes it, or a bound of at most ``alpha``. Raise OutOfTimeError."""
        mine = me | bit
        if any(mine & line == line for line in self.lines if line & bit):
            score = WIN + self.cells - ply - 1
            return -score if self.variant.misere else score
        if ply + 1 == self.cells:
            return 0
        lines_op = tuple([line for line in self.lines if not line & mine])
        lines_me = tuple([line for line in self.lines if not line & op])
        return -self._search(op, mine, lines_op, lines_me, ply + 1, depth - 1, -INFINITY, -alpha)

    def _search(
        self,
        me: int,
        op: int,
        mine: tuple[int, ...],
        theirs: tuple[int, ...],
        ply: int,
        depth: int,
        alpha: int,
        beta: int,
    ) -> int:
        """Return the score of a position in play (at least one cell free, no line complete), fail-soft."""
        self.nodes += 1
        if not self.nodes & self._check_mask and self._budget is not None:
            self._budget.check()
        misere = self.variant.misere
        # A side that has no open line left cannot win (in misère: cannot lose).
        if not mine:
            if not theirs:
                return 0
            if (beta <= 0) if misere else (alpha >= 0):
                return 0
        elif not theirs and ((alpha >= 0) if misere else (beta <= 0)):
            return 0
        free = self._all & ~(me | op)
        if self.variant.gravity:
            # The lowest free cell of a column is free and has a mark, or the floor, below it.
            free &= (me | op) >> self.variant.columns | self._floor
        completing = blocking = urgent = quiet = 0
        for line in mine:
            rest = line & ~me
            if not rest & (rest - 1):
                completing |= rest
            elif (rest & (rest - 1)).bit_count() == 1:
                urgent |= rest
            else:
                quiet |= rest
        left = self.cells - ply
        if misere:
            moves = free & ~completing
            if not moves:
                # Every move completes a line.
                return -(WIN + left - 1)
            if left == 1:
                return 0
            ceiling = WIN + left - 2
        else:
            if completing & free:
                return WIN + left - 1
            if left == 1:
                return 0
            moves = free
            ceiling = WIN + left - 3
        for line in theirs:
            rest = line & ~op
            if not rest & (rest - 1):
                blocking |= rest
            elif (rest & (rest - 1)).bit_count() == 1:
                urgent |= rest
            else:
                quiet |= rest
        if not misere and blocking & free:
            moves = blocking & free
            if moves & (moves - 1):
                return -(WIN + left - 2)
        elif depth <= 0:
            return self._estimate(me, op, mine, theirs)
        else:
            depth -= 1
        if ceiling <= alpha:
            return ceiling
        beta = min(beta, ceiling)
        key = self._key(me, op, left)
        entry = self._table.get(key)
        low, high = -INFINITY, INFINITY
        if entry is not None:
            low, high = entry
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
            alpha, beta = max(alpha, low), min(beta, high)
        first = alpha
        best = -INFINITY
        if not (misere or self.variant.gravity):
            # A cell on no open line is a pass, and a pass is never better than another mark.
            moves &= urgent | quiet | completing | blocking
        for group in (moves & urgent, moves & ~urgent):
            for bit in self.order if group else ():
                if not group & bit:
                    continue
                score = -self._search(
                    op,
                    me | bit,
                    tuple([line for line in theirs if not line & bit]),
                    mine,
                    ply + 1,
                    depth,
                    -beta,
                    -alpha,
                )
                if score > best:
                    best = score
                    if score > alpha:
                        alpha = score
                        if alpha >= beta:
                            self._table[key] = (best, high)
                            return best
        # Within the window the score is exact; below it, an upper bound.
        self._table[key] = (best if best > first else low, best)
        return best

    def _key(self, me: int, op: int, left: int) -> int:
        """Return the table key: the same for symmetric positions, except near the end of a game."""
        cells = self.cells
        key = me << cells | op
        if left < self._canonical_from:
            return key
        if self._two_chunks:
            me_low, me_high, op_low, op_high = me & _ONE_BYTE, me >> CHUNK, op & _ONE_BYTE, op >> CHUNK
            for low, high in self._images:
                image = (low[me_low] | high[me_high]) << cells | low[op_low] | high[op_high]
                if image < key:
                    key = image
            return key
        for tables in self._images:
            image = permute(me, tables) << cells | permute(op, tables)
            if image < key:
                key = image
        return key

    def _estimate(self, me: int, op: int, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        """Return an estimate: the open lines of both sides, each worth four times more with every mark on it."""
        total = 0
        for line in mine:
            total += 1 << 2 * (line & me).bit_count()
        for line in theirs:
            total -= 1 << 2 * (line & op).bit_count()
        if self.variant.misere:
            total = -total
        return max(-LARGEST_ESTIMATE + 1, min(LARGEST_ESTIMATE - 1, total))
