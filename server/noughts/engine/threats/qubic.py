"""Qubic: four in a line in a cube of four by four by four, with 76 lines, seven through each corner and inner cell.

X wins. The book (:mod:`noughts.engine.threats.qubic_book`) holds X's moves up to a win by fours, which the threat search
then finds. So with X the engine wins every game that it begins.
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import Final

from noughts.engine import book
from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.lines import bits, completions, open_lines, refuters
from noughts.engine.threats.qubic_book import QubicBook
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Verdict
from noughts.rules.game import Game
from noughts.rules.position import Position
from noughts.rules.variant import Variant

COVER_NODES: Final = 4_000
"""Of one search for a win by fours after a reply that is not in the book. The book was made with 2,000."""
_WIN: Final = Verdict("win", None, "book")
_LOSS: Final = Verdict("loss", None, "book")


class QubicKernel(ThreatKernel):
    """The book and the threat search in the cube, where a four is three marks in a line with the last cell empty."""

    depth = 20

    def __init__(self, variant: Variant, entries: QubicBook | None = None) -> None:
        """Use the book that comes with the program unless ``entries`` is given."""
        super().__init__(variant)
        self._given = entries

    @cached_property
    def book(self) -> QubicBook:
        """The book, empty if its file is damaged. The file is read at the first access."""
        if self._given is not None:
            return self._given
        return QubicBook(book.entries_or_warn(self.variant.key))

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        """Return the verdict and the moves proved to keep it: by the book, else by the threat search."""
        x, o = position.x, position.o
        if position.ply & 1:
            if self.book.follows(x, o):
                lost = Analysis(_LOSS, position.legal(), True)
                if any(self.book.moves(x, o | 1 << cell) for cell in lost.best):
                    return lost
                # X wins by fours after every reply. The threat search also counts the plies.
                analysis = super().analyse(position, budget)
                return lost if analysis.verdict == UNKNOWN else analysis
            if self._covered(x, o, budget.share(0.25)):
                return Analysis(_LOSS, position.legal(), True)
        else:
            moves = self.book.moves(x, o)
            if moves:
                return Analysis(_WIN, _cells(moves))
        return super().analyse(position, budget)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        """Return the book's move, else that of the threat search."""
        position = game.position
        moves = 0 if position.ply & 1 else self.book.moves(position.x, position.o)
        if moves:
            return Choice(rng.choice(_cells(moves)), _WIN)
        return super().choose(game, budget, rng)

    def _covered(self, x: int, o: int, budget: Budget) -> bool:
        """Return whether every reply of O, to move, is in the book or lets X win by fours, and at least one is in it."""
        board = self._board
        threats = open_lines(board, x, o)
        counters = open_lines(board, o, x)
        if o.bit_count() >= self.book.most_marks or counters.fours or threats.fours & (threats.fours - 1):
            return False  # no reply can be in the book, or the game ends at once
        search = self._searches.fours(budget)
        replies = threats.fours or board.full & ~(x | o)
        covered = False
        try:
            if not threats.fours:
                win = search.solve(x, o, threats.pairs, 0, limit=COVER_NODES)
                replies = replies if win is None else refuters(board, x, o, win, counters.pairs)
            for reply in bits(replies):
                if not reply & replies:
                    continue
                after = o | reply
                if self.book.moves(x, after):
                    covered = True
                    continue
                blocks = completions(board, reply, after, x)
                win = search.solve(x, after, open_lines(board, x, after).pairs, blocks, limit=COVER_NODES)
                if win is None:
                    return False
                if not threats.fours:
                    replies &= refuters(board, x, o, win, counters.pairs)  # after any other reply, the same win works
        except OutOfTimeError:
            return False
        return covered


def _cells(mask: int) -> tuple[int, ...]:
    return tuple(bit.bit_length() - 1 for bit in bits(mask))
