"""The family's own search: negamax with alpha-beta over bit masks, for every variant without a kernel of its own.

Sources: Knuth & Moore 1975 (alpha-beta), Slate & Atkin 1977 (iterative deepening, transposition table), Pons'
"Solving Connect 4" (scores that count the moves left). A position is two masks seen from the side to move::

    bit i = cell i        me: marks of the side to move     mine:   lines with none of the other's marks
                          op: marks of the other            theirs: lines with none of mine

Scores, for the side to move (``end`` is the ply at which the game ends, which the masks alone decide, so that scores
of one position never disagree between paths)::

    WIN + cells - end   a win, the higher the sooner       0   a draw       anything between: a guess at a leaf
"""

from __future__ import annotations

import random
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.one_ply import at_a_glance
from noughts.engine.symmetry import CHUNK, permute, symmetries
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.position import Position
from noughts.rules.variant import Variant, lines

WIN: Final = 1_000_000
INFINITY: Final = 2 * WIN
_GUESS: Final = WIN // 2  # no guess is larger
EXACT_CELLS: Final = 16
"""Boards up to this size are solved from every position within a second of plain Python (measured for 4x4)."""
TABLE_LIMIT: Final = 300_000
WHOLE: Final = 1_000  # a depth that no game reaches: search to the end
_LOOK: Final = 0x1FF  # nodes between two looks at the clock, minus one
_LOOK_MANY_LINES: Final = 0x1F  # where a node takes long
_ONE_BYTE: Final = (1 << CHUNK) - 1


class FamilyKernel:
    """A search for one variant; the tables of solved positions live as long as it does."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.exact = variant.cells <= EXACT_CELLS
        self.nodes = 0
        self._cells = variant.cells
        self._all = (1 << variant.cells) - 1
        self._lines = lines(variant.shape, variant.line)
        self._tables = symmetries(variant)
        self._two_chunks = CHUNK < variant.cells <= 2 * CHUNK
        # Turning a position costs as much as searching a few plies: near the end of a game it does not pay.
        self._canonical_from = 0 if variant.cells <= 9 else variant.cells // 2
        self._solved: dict[int, tuple[int, int]] = {}
        self._tried: dict[int, tuple[int, int]] = {}
        self._table = self._solved
        through = [sum(line >> cell & 1 for line in self._lines) for cell in range(variant.cells)]
        self._order = tuple(1 << cell for cell in sorted(range(variant.cells), key=lambda cell: -through[cell]))
        self._floor = self._all >> variant.columns * (variant.rows - 1) << variant.columns * (variant.rows - 1)
        self._look = _LOOK if len(self._lines) <= 100 else _LOOK_MANY_LINES
        self._budget: Budget | None = None

    # -- the kernel's interface -------------------------------------------------------------------------------------

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """The value of every move; what the budget leaves unproved is unknown."""
        values = self._move_values(position, budget)
        legal = position.legal()
        kept = [cell for cell in legal if cell in values]
        if any(values[cell] > 0 for cell in kept):
            best = tuple(cell for cell in kept if values[cell] > 0)
        elif len(kept) < len(legal):
            return Analysis(UNKNOWN, ())
        elif any(values[cell] == 0 for cell in kept):
            return Analysis(Verdict("draw", None, "exact"), tuple(cell for cell in kept if values[cell] == 0))
        else:
            best = legal
        return Analysis(self._timed(position, "win" if values[best[0]] > 0 else "loss", budget), best)

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """Exact where the board is small enough, else the deepest look that the budget allows."""
        if not self.exact:
            return self._deepen(position, budget, rng)
        analysis = self.analyse(position, budget)
        verdict = analysis.verdict
        if verdict.value == "unknown" or (verdict.value != "draw" and verdict.plies is None):
            return self._deepen(position, budget, rng)
        best: list[int] = list(analysis.best)
        try:
            if verdict.plies is not None:
                best = self._as_timed(position, best, verdict, budget)
            best = self._most_tempting(position, best, budget)
        except OutOfTimeError:
            pass  # every move of ``best`` keeps the value: the finer choice is what is given up
        return Choice(rng.choice(best), verdict)

    # -- at the root ------------------------------------------------------------------------------------------------

    def score(self, position: Position, budget: Budget, alpha: int = -INFINITY, beta: int = INFINITY) -> int:
        """The exact score of a position in play, within the window. Raises OutOfTimeError."""
        me, op = _sides(position)
        return self._whole(me, op, position.ply, budget, alpha, beta)

    def _whole(self, me: int, op: int, ply: int, budget: Budget, alpha: int, beta: int) -> int:
        self._budget = budget
        self._table = self._solved
        if len(self._solved) > TABLE_LIMIT:
            self._solved.clear()
        mine = tuple([line for line in self._lines if not line & op])
        theirs = tuple([line for line in self._lines if not line & me])
        return self._search(me, op, mine, theirs, ply, WHOLE, alpha, beta)

    def _after(self, position: Position, cell: int, budget: Budget, alpha: int, beta: int) -> int:
        """The score of a move, for who makes it."""
        after = position.play(cell)
        outcome = after.ended(cell)
        if outcome is not None:
            if outcome.winner is None:
                return 0
            score = WIN + self._cells - after.ply
            return score if outcome.winner == position.turn else -score
        return -self.score(after, budget, -beta, -alpha)

    def _move_values(self, position: Position, budget: Budget) -> dict[int, int]:
        """The sign of the value of each move, of as many as the budget allows; likely ones first."""
        values: dict[int, int] = {}
        legal = position.legal()
        try:
            for bit in self._order:
                cell = bit.bit_length() - 1
                if cell in legal:
                    score = self._after(position, cell, budget, -1, 1)
                    values[cell] = (score > 0) - (score < 0)
        except OutOfTimeError:
            pass
        return values

    def _timed(self, position: Position, value: Value, budget: Budget) -> Verdict:
        """The verdict of a decided position with its plies, if the budget allows to count them."""
        try:
            if value == "win":
                score = self.score(position, budget, WIN - 1, INFINITY)
            else:
                score = -self.score(position, budget, -INFINITY, 1 - WIN)
        except OutOfTimeError:
            return Verdict(value, None, "exact")
        return Verdict(value, WIN + self._cells - score - position.ply, "exact")

    def _as_timed(self, position: Position, best: list[int], verdict: Verdict, budget: Budget) -> list[int]:
        """Those moves that win as soon, or lose as late, as the verdict says."""
        score = WIN + self._cells - position.ply - (verdict.plies or 0)
        if verdict.value == "loss":
            score = -score
        return [cell for cell in best if self._after(position, cell, budget, score - 1, score) >= score]

    def _most_tempting(self, position: Position, best: list[int], budget: Budget) -> list[int]:
        """Those moves after which most of the opponent's replies throw away what it holds."""
        if len(best) == 1:
            return best
        chances: dict[int, int] = {}
        for cell in best:
            after = position.play(cell)
            if after.ended(cell) is not None:
                chances[cell] = 0
                continue
            scores = [self._after(after, reply, budget, -1, 1) for reply in after.legal()]
            values = [(score > 0) - (score < 0) for score in scores]
            chances[cell] = sum(value < max(values) for value in values)
        most = max(chances.values())
        return [cell for cell in best if chances[cell] == most]

    def _deepen(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """One ply deeper at a time, best move first, until the budget ends or nothing is left to guess."""
        me, op = _sides(position)
        ply, cells = position.ply, position.legal()
        self._budget = budget
        ordered = [bit for bit in self._order if bit.bit_length() - 1 in cells]
        choice, best_score, proved = 1 << at_a_glance(position, rng), 0, False
        try:
            for depth in range(1, self._cells - ply + 1):
                self._tried = {}
                self._table = self._tried
                alpha, moves = -INFINITY, []
                for bit in ordered:
                    score = self._root_move(me, op, bit, ply, depth, alpha)
                    if score > alpha:
                        alpha = score
                        moves = [bit]
                        if depth > 1:
                            choice = bit
                    # Later moves are asked only to beat alpha: their equal scores are bounds, not ties.
                best_score, choice = alpha, moves[0]
                ordered.remove(choice)
                if depth == 1:
                    rng.shuffle(ordered)
                    ordered.sort(key=lambda bit: -sum(line & bit != 0 for line in self._lines))
                ordered.insert(0, choice)
                if abs(alpha) >= _GUESS and WIN + self._cells - abs(alpha) - ply <= depth:
                    proved = True
                    break
                proved = depth == self._cells - ply
        except OutOfTimeError:
            pass
        finally:
            self._tried = {}
        cell = choice.bit_length() - 1
        if abs(best_score) >= _GUESS:
            plies = WIN + self._cells - abs(best_score) - ply
            return Choice(cell, Verdict("win" if best_score > 0 else "loss", plies if proved else None, "exact"))
        return Choice(cell, Verdict("draw", None, "exact") if proved else UNKNOWN)

    def _root_move(self, me: int, op: int, bit: int, ply: int, depth: int, alpha: int) -> int:
        mine = me | bit
        if any(mine & line == line for line in self._lines if line & bit):
            score = WIN + self._cells - ply - 1
            return -score if self.variant.misere else score
        if ply + 1 == self._cells:
            return 0
        lines_op = tuple([line for line in self._lines if not line & mine])
        lines_me = tuple([line for line in self._lines if not line & op])
        return -self._search(op, mine, lines_op, lines_me, ply + 1, depth - 1, -INFINITY, -alpha)

    # -- the search -------------------------------------------------------------------------------------------------

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
        """The score of a position in play (at least one cell free, no line complete), fail-soft."""
        self.nodes += 1
        if not self.nodes & self._look and self._budget is not None:
            self._budget.check()
        misere = self.variant.misere
        # A side without a line that it could still complete cannot win (in misère: cannot lose).
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
        completing = blocking = hot = warm = 0
        for line in mine:
            rest = line & ~me
            if not rest & (rest - 1):
                completing |= rest
            elif (rest & (rest - 1)).bit_count() == 1:
                hot |= rest
            else:
                warm |= rest
        left = self._cells - ply
        if misere:
            moves = free & ~completing
            if not moves:
                # Whatever is filled completes a line.
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
                hot |= rest
            else:
                warm |= rest
        if not misere and blocking & free:
            moves = blocking & free
            if moves & (moves - 1):
                return -(WIN + left - 2)
        elif depth <= 0:
            return self._guess(me, op, mine, theirs)
        else:
            depth -= 1
        if ceiling <= alpha:
            return ceiling
        beta = min(beta, ceiling)
        key = self._key(me, op, left)
        known = self._table.get(key)
        low, high = -INFINITY, INFINITY
        if known is not None:
            low, high = known
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
            alpha, beta = max(alpha, low), min(beta, high)
        first = alpha
        best = -INFINITY
        if not (misere or self.variant.gravity):
            # Cells on no open line are all one move: a pass.
            idle = moves & ~(hot | warm | completing | blocking)
            moves &= ~(idle & (idle - 1))
        for group in (moves & hot, moves & ~hot):
            for bit in self._order if group else ():
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
        """The same number for all positions that differ by a symmetry, as far as looking for them pays."""
        cells = self._cells
        key = me << cells | op
        if left < self._canonical_from:
            return key
        if self._two_chunks:
            me_low, me_high, op_low, op_high = me & _ONE_BYTE, me >> CHUNK, op & _ONE_BYTE, op >> CHUNK
            for low, high in self._tables:
                turned = (low[me_low] | high[me_high]) << cells | low[op_low] | high[op_high]
                if turned < key:
                    key = turned
            return key
        for tables in self._tables:
            turned = permute(me, tables) << cells | permute(op, tables)
            if turned < key:
                key = turned
        return key

    def _guess(self, me: int, op: int, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        """Open lines, each worth four times more with every mark on it."""
        total = 0
        for line in mine:
            total += 1 << 2 * (line & me).bit_count()
        for line in theirs:
            total -= 1 << 2 * (line & op).bit_count()
        if self.variant.misere:
            total = -total
        return max(-_GUESS + 1, min(_GUESS - 1, total))


def _sides(position: Position) -> tuple[int, int]:
    """The masks of the side to move and of the other."""
    return (position.o, position.x) if position.ply & 1 else (position.x, position.o)
