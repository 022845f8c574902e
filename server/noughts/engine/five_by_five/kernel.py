"""Five by five, four in a line: a book of the openings, and a search of all the rest to its end.

Positions with up to four marks are in the book (:mod:`noughts.engine.five_by_five.openings`), with their values and
plies; later ones are searched by :mod:`noughts.engine.five_by_five.attack`, in a few thousand nodes as a rule.

A move is never made on a guess when a proof is to be had: first the value, then a move that keeps it, then all of
them, and among those the soonest win, the latest loss, or the one that tempts the opponent most. Whatever the budget
leaves undone is the finer choice.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.five_by_five.attack import SIZE, AttackSearch, cells_of, completes, weights
from noughts.engine.five_by_five.openings import MARKS, load_openings, opening_key
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Value, Verdict
from noughts.rules.position import Position
from noughts.rules.variant import Variant

_BOARD: Final = (1 << SIZE) - 1
_VALUES: Final[tuple[Value, Value, Value]] = ("draw", "win", "loss")  # by 0, 1 and -1
TEMPT_NODES: Final = 40_000
"""What may be spent on how much each move tempts: about an eighth of a second of plain Python."""


class FiveByFiveKernel:
    """Proves every position in time on an idle machine; ``exact`` promises it on any, and so is False."""

    exact = False

    def __init__(self, variant: Variant, book: Mapping[int, int] | None = None) -> None:
        self.variant = variant
        self._book = load_openings() if book is None else book
        self._search = AttackSearch()

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._search.nodes

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """The verdict and the moves that keep it: all of them, unless the budget ends before the last is proved."""
        me, op = _sides(position)
        try:
            value = self._value(me, op, budget)
        except OutOfTimeError:
            return Analysis(UNKNOWN, ())
        legal = position.legal()
        verdict = self._verdict(me, op, value, None)
        best: list[int] = []
        try:
            # The longest defence of a lost position takes no more proof than the loss, and all of its moves keep it.
            if value < 0:
                best.extend(legal)
            else:
                best.extend(cell for cell in legal if self._keeps(me, op, cell, value, budget))
            verdict = self._verdict(me, op, value, self._plies(me, op, value, budget))
        except OutOfTimeError:
            pass
        return Analysis(verdict, tuple(best))

    def choose(self, position: Position, budget: Budget, rng: random.Random) -> Choice:
        """A move that is proved to keep the value, the best of them that the budget allows to tell."""
        me, op = _sides(position)
        moves = self._likely(me, op, rng)
        best, verdict = moves[:1], UNKNOWN
        try:
            value = self._value(me, op, budget)
            verdict = self._verdict(me, op, value, None)
            best = [next(cell for cell in moves if self._keeps(me, op, cell, value, budget))]
            if value:
                plies = self._plies(me, op, value, budget)
                verdict = self._verdict(me, op, value, plies)
                best = [cell for cell in moves if self._on_time(me, op, cell, plies, budget)]
            else:
                best = [cell for cell in moves if self._keeps(me, op, cell, value, budget)]
                best = self._most_tempting(me, op, best, budget)
        except OutOfTimeError:
            pass  # ``best`` is as good as the last step that was finished
        return Choice(rng.choice(best), verdict)

    # -- what is known of a position; ``me`` are the marks of the side to move ----------------------------------------

    def _entry(self, me: int, op: int) -> int | None:
        """The plies that the book tells."""
        marks = (me | op).bit_count()
        if marks > MARKS:
            return None
        return self._book[opening_key(op, me) if marks & 1 else opening_key(me, op)]

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
        return Verdict(_VALUES[value], plies, "book" if (me | op).bit_count() <= MARKS else "exact")

    # -- what is known of a move ---------------------------------------------------------------------------------------

    def _keeps(self, me: int, op: int, cell: int, value: int, budget: Budget) -> bool:
        """Whether a move keeps the value of the position."""
        after = me | 1 << cell
        if value < 0 or completes(after, cell):
            return True
        entry = self._entry(op, after)
        if value > 0:
            return self._search.loses(op, after, budget) if entry is None else entry > 0 and not entry & 1
        return not (self._search.wins(op, after, budget) if entry is None else entry & 1)

    def _on_time(self, me: int, op: int, cell: int, plies: int | None, budget: Budget) -> bool:
        """Whether a move of a decided position wins as soon, or loses as late, as can be."""
        after = me | 1 << cell
        if plies is None or completes(after, cell):
            return True
        entry = self._entry(op, after)
        if entry is not None:
            return entry == plies - 1
        if plies & 1:
            return self._search.loses(op, after, budget, plies // 2)
        return not self._search.wins(op, after, budget, plies // 2 - 1)

    def _likely(self, me: int, op: int, rng: random.Random) -> list[int]:
        """The legal moves, likely ones first: a line completed, one blocked, then the weight of the lines through the
        cell. The first is what is left without any proof."""
        mine, theirs = weights(me, op), weights(op, me)
        moves = list(cells_of(_BOARD & ~(me | op)))
        rng.shuffle(moves)

        def promise(cell: int) -> tuple[bool, bool, int]:
            return completes(me | 1 << cell, cell), completes(op | 1 << cell, cell), mine[cell] + theirs[cell]

        moves.sort(key=promise, reverse=True)
        return moves

    def _most_tempting(self, me: int, op: int, moves: list[int], budget: Budget) -> list[int]:
        """Of moves that keep a draw those after which most replies lose, as far as some nodes tell.

        A reply counts if a player could make it who sees the line that is about to be completed: a bare threat tempts
        nobody.
        """
        last = self._search.nodes + TEMPT_NODES
        most, found = -1.0, moves
        for move in moves:
            after = me | 1 << move
            free = cells_of(_BOARD & ~(after | op))
            replies = [cell for cell in free if completes(after | 1 << cell, cell)] or free
            lost = sum(self._reply_loses(after, op | 1 << reply, budget) for reply in replies)
            if len(replies) and lost / len(replies) > most:
                most, found = lost / len(replies), [move]
            elif len(replies) and lost / len(replies) == most:
                found.append(move)
            if self._search.nodes > last:
                break
        return found

    def _reply_loses(self, me: int, op: int, budget: Budget) -> bool:
        entry = self._entry(me, op)
        return self._search.wins(me, op, budget) if entry is None else entry & 1 == 1


def _sides(position: Position) -> tuple[int, int]:
    """The masks of the side to move and of the other."""
    return (position.o, position.x) if position.ply & 1 else (position.x, position.o)
