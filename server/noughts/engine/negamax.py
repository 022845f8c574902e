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

import random
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.one_ply import one_ply_move
from noughts.engine.solvable import is_exact
from noughts.engine.symmetry import CHUNK, permute, symmetries
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant, lines

WIN: Final = 1_000_000
INFINITY: Final = 2 * WIN
_LARGEST_ESTIMATE: Final = WIN // 2
TABLE_LIMIT: Final = 300_000
NO_DEPTH_LIMIT: Final = 1_000  # a depth that no game reaches: the search goes to the end
_CHECK_MASK: Final = 0x1FF  # nodes between two readings of the clock, minus one
_CHECK_MASK_MANY_LINES: Final = 0x1F  # the same on boards with many lines, where a node takes long
_ONE_BYTE: Final = (1 << CHUNK) - 1


class NegamaxKernel:
    """A search for one variant. Its table of solved positions lives as long as the kernel."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.nodes = 0
        """Nodes searched so far."""
        self._exact = is_exact(variant)
        self._cells = variant.cells
        self._all = (1 << variant.cells) - 1
        self._lines = lines(variant.shape, variant.line)
        self._tables = symmetries(variant)
        self._two_chunks = CHUNK < variant.cells <= 2 * CHUNK
        # To compute all symmetric images takes as long as a few plies of search, so not near the end of a game.
        self._canonical_from = 0 if variant.cells <= 9 else variant.cells // 2
        self._exact_table: dict[int, tuple[int, int]] = {}
        self._depth_table: dict[int, tuple[int, int]] = {}
        self._table = self._exact_table
        through = [sum(line >> cell & 1 for line in self._lines) for cell in range(variant.cells)]
        self._order = tuple(1 << cell for cell in sorted(range(variant.cells), key=lambda cell: -through[cell]))
        self._floor = self._all >> variant.columns * (variant.rows - 1) << variant.columns * (variant.rows - 1)
        self._check_mask = _CHECK_MASK if len(self._lines) <= 100 else _CHECK_MASK_MANY_LINES
        self._budget: Budget | None = None

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
            for bit in self._order:
                cell = bit.bit_length() - 1
                if cell in legal:
                    score = self._after(position, cell, budget, -1, 1)
                    values[cell] = (score > 0) - (score < 0)
        except OutOfTimeError:
            pass
        return values

    # -- at the root ------------------------------------------------------------------------------------------------

    def score(self, position: Position, budget: Budget, alpha: int = -INFINITY, beta: int = INFINITY) -> int:
        """Return the exact score of a position in play, if it is within the window (fail-soft). Raise OutOfTimeError."""
        me, op = sides(position)
        return self._to_the_end(me, op, position.ply, budget, alpha, beta)

    def _to_the_end(self, me: int, op: int, ply: int, budget: Budget, alpha: int, beta: int) -> int:
        self._budget = budget
        self._table = self._exact_table
        if len(self._exact_table) > TABLE_LIMIT:
            self._exact_table.clear()
        mine = tuple([line for line in self._lines if not line & op])
        theirs = tuple([line for line in self._lines if not line & me])
        return self._search(me, op, mine, theirs, ply, NO_DEPTH_LIMIT, alpha, beta)

    def _after(self, position: Position, cell: int, budget: Budget, alpha: int, beta: int) -> int:
        """Return the score of a move for the side that makes it."""
        after = position.play(cell)
        outcome = after.ended(cell)
        if outcome is not None:
            if outcome.winner is None:
                return 0
            score = WIN + self._cells - after.ply
            return score if outcome.winner == position.turn else -score
        return -self.score(after, budget, -beta, -alpha)

    def _counted(self, position: Position, value: Value, budget: Budget) -> Verdict:
        """Return the verdict of a won or lost position, with its plies if the budget is enough to count them."""
        try:
            if value == "win":
                score = self.score(position, budget, WIN - 1, INFINITY)
            else:
                score = -self.score(position, budget, -INFINITY, 1 - WIN)
        except OutOfTimeError:
            return Verdict(value, None, "exact")
        return Verdict(value, WIN + self._cells - score - position.ply, "exact")

    def _with_plies(self, position: Position, best: list[int], verdict: Verdict, budget: Budget) -> list[int]:
        """Return the moves that win as soon, or lose as late, as the verdict says. Raise OutOfTimeError."""
        score = WIN + self._cells - position.ply - (verdict.plies or 0)
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
        self._budget = budget
        ordered = [bit for bit in self._order if bit.bit_length() - 1 in cells]
        choice, best_score, proved = 1 << one_ply_move(position, rng), 0, False
        try:
            for depth in range(1, self._cells - ply + 1):
                self._depth_table = {}
                self._table = self._depth_table
                alpha, moves = -INFINITY, []
                for bit in ordered:
                    score = self._root_move(me, op, bit, ply, depth, alpha)
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
                    ordered.sort(key=lambda bit: -sum(line & bit != 0 for line in self._lines))
                ordered.insert(0, choice)
                if abs(alpha) >= _LARGEST_ESTIMATE and WIN + self._cells - abs(alpha) - ply <= depth:
                    proved = True
                    break
                proved = depth == self._cells - ply
        except OutOfTimeError:
            pass
        finally:
            self._depth_table = {}
        cell = choice.bit_length() - 1
        if abs(best_score) >= _LARGEST_ESTIMATE:
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
        left = self._cells - ply
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
        """Return the table key: the same for symmetric positions, except near the end of a game."""
        cells = self._cells
        key = me << cells | op
        if left < self._canonical_from:
            return key
        if self._two_chunks:
            me_low, me_high, op_low, op_high = me & _ONE_BYTE, me >> CHUNK, op & _ONE_BYTE, op >> CHUNK
            for low, high in self._tables:
                image = (low[me_low] | high[me_high]) << cells | low[op_low] | high[op_high]
                if image < key:
                    key = image
            return key
        for tables in self._tables:
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
        return max(-_LARGEST_ESTIMATE + 1, min(_LARGEST_ESTIMATE - 1, total))
