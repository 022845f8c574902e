"""Five by five, four in a line: a book of the openings, and a search to the end of the game for all later positions.

The book (:mod:`noughts.engine.five_by_five.openings`) holds the positions with up to four marks, with values and plies.
Later positions are searched by :mod:`noughts.engine.five_by_five.attack`, usually in a few thousand nodes.

The choice of a move proceeds in steps, and each step is a proof: the value; one move that keeps it; all of them; among
those the soonest wins, the latest losses, or the moves with the most traps. When the budget ends, the last complete
step decides.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.five_by_five.attack import SIZE, AttackSearch, cells_of, completes, weights
from noughts.engine.five_by_five.openings import MARKS, load_openings, opening_key
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position, sides
from noughts.rules.variant import Variant

_BOARD: Final = (1 << SIZE) - 1
_VALUES: Final[tuple[Value, Value, Value]] = ("draw", "win", "loss")  # indexed by 0, 1 and -1
TRAP_NODES: Final = 40_000
"""The nodes to spend on counting the traps of drawing moves: about an eighth of a second."""


class FiveByFiveKernel:
    """The kernel of 5x5.

    On an idle machine it proves every position in time. On a busy one it may not, so its top level is ``strongest``.
    """

    def __init__(self, variant: Variant, book: Mapping[int, int] | None = None) -> None:
        self.variant = variant
        self._book = load_openings() if book is None else book
        self._search = AttackSearch()

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._search.nodes

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the verdict and the moves that keep it: all of them, unless the budget ends before the last proof."""
        me, op = sides(position)
        try:
            value = self._value(me, op, budget)
        except OutOfTimeError:
            return Analysis(UNKNOWN, ())
        legal = position.legal()
        verdict = self._verdict(me, op, value, None)
        best: list[int] = []
        complete = value < 0
        try:
            # Every move of a lost position keeps its value, so that needs no further proof.
            if value < 0:
                best.extend(legal)
            else:
                best.extend(cell for cell in legal if self._keeps(me, op, cell, value, budget))
                complete = True
            verdict = self._verdict(me, op, value, self._plies(me, op, value, budget))
        except OutOfTimeError:
            pass
        return Analysis(verdict, tuple(best), complete)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return a move that is proved to keep the value, the best one that the budget is enough to find."""
        me, op = sides(game.position)
        moves = self._ordered_moves(me, op, rng)
        best, verdict = moves[:1], UNKNOWN
        try:
            value = self._value(me, op, budget)
            winning = self._search.cell if value > 0 and self._entry(me, op) is None else None
            candidates = moves if winning is None else [winning]
            best = [next(cell for cell in candidates if self._keeps(me, op, cell, value, budget))]
            verdict = self._verdict(me, op, value, None)
            if value:
                plies = self._plies(me, op, value, budget)
                verdict = self._verdict(me, op, value, plies)
                best = [cell for cell in moves if self._keeps_plies(me, op, cell, plies, budget)]
            else:
                best = [cell for cell in moves if self._keeps(me, op, cell, value, budget)]
                best = self._with_most_traps(me, op, best, budget)
        except OutOfTimeError:
            pass  # ``best`` is the result of the last complete step
        return Choice(rng.choice(best), verdict)

    # -- positions; ``me`` are the marks of the side to move, ``op`` the opponent's ----------------------------------

    def _entry(self, me: int, op: int) -> int | None:
        """Return the book's plies for a position, None if it is not in the book."""
        marks = (me | op).bit_count()
        if marks > MARKS:
            return None
        return self._book.get(opening_key(op, me) if marks & 1 else opening_key(me, op))

    def _value(self, me: int, op: int, budget: Budget) -> int:
        entry = self._entry(me, op)
        if entry is None:
            return self._search.solve(me, op, budget)
        return (1 if entry & 1 else -1) if entry else 0

    def _plies(self, me: int, op: int, value: int, budget: Budget) -> int | None:
        if not value:
            return None
        entry = self._entry(me, op)
        return self._search.plies(me, op, value, budget) if entry is None else entry

    def _verdict(self, me: int, op: int, value: int, plies: int | None) -> Verdict:
        return Verdict(_VALUES[value], plies, "exact" if self._entry(me, op) is None else "book")

    # -- moves -------------------------------------------------------------------------------------------------------

    def _keeps(self, me: int, op: int, cell: int, value: int, budget: Budget) -> bool:
        """Return whether a move keeps the value of the position. Raise OutOfTimeError."""
        after = me | 1 << cell
        if value < 0 or completes(after, cell):
            return True
        entry = self._entry(op, after)
        if value > 0:
            return self._search.loses(op, after, budget) if entry is None else entry > 0 and not entry & 1
        return not (self._search.wins(op, after, budget) if entry is None else entry & 1)

    def _keeps_plies(self, me: int, op: int, cell: int, plies: int | None, budget: Budget) -> bool:
        """Return whether a move wins as soon, or loses as late, as possible. Raise OutOfTimeError."""
        after = me | 1 << cell
        if plies is None or completes(after, cell):
            return True
        entry = self._entry(op, after)
        if entry is not None:
            return entry == plies - 1
        if plies & 1:
            return self._search.loses(op, after, budget, plies // 2)
        return not self._search.wins(op, after, budget, plies // 2 - 1)

    def _ordered_moves(self, me: int, op: int, rng: random.Random) -> list[int]:
        """Return the legal moves, likely ones first: a completed line, a blocked one, then the heaviest cells.

        The first one is the engine's move if the budget ends before any proof.
        """
        mine, theirs = weights(me, op), weights(op, me)
        moves = list(cells_of(_BOARD & ~(me | op)))
        rng.shuffle(moves)

        def promise(cell: int) -> tuple[bool, bool, int]:
            return completes(me | 1 << cell, cell), completes(op | 1 << cell, cell), mine[cell] + theirs[cell]

        moves.sort(key=promise, reverse=True)
        return moves

    def _with_most_traps(self, me: int, op: int, moves: list[int], budget: Budget) -> list[int]:
        """Return the moves, of those that keep a draw, after which the largest share of the replies loses.

        If a move threatens to complete a line, only the replies that block it count: every player sees that threat. The
        search stops after ``TRAP_NODES``. Raise OutOfTimeError.
        """
        last = self._search.nodes + TRAP_NODES
        most, best = -1.0, moves
        for move in moves:
            after = me | 1 << move
            free = cells_of(_BOARD & ~(after | op))
            replies = [cell for cell in free if completes(after | 1 << cell, cell)] or free
            lost = sum(self._reply_loses(after, op | 1 << reply, budget) for reply in replies)
            if len(replies) and lost / len(replies) > most:
                most, best = lost / len(replies), [move]
            elif len(replies) and lost / len(replies) == most:
                best.append(move)
            if self._search.nodes > last:
                break
        return best

    def _reply_loses(self, me: int, op: int, budget: Budget) -> bool:
        entry = self._entry(me, op)
        return self._search.wins(me, op, budget) if entry is None else entry & 1 == 1
