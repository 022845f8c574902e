"""Wins by continuous fours, and the defences to them, on any board where filling a line wins.

A *line* is a mask of exactly as many cells as win (on 15x15 every window of five: a row of six holds two of them). All
that matters of a line which the opponent has no mark on is the cells that it still lacks, so a side is three groups of
masks of empty cells::

    lacking one      X X . X X      ->   ..1..      a *four*: the cell completes it
    lacking two      X . X . X      ->   .1.1.      a *pair*: either cell makes a four, the other answers it
    lacking three    . . X X .      ->   11..1      a *triple*: any of its cells makes a pair

A pair is an edge between two cells. To make a four on one end forces the reply on the other; a cell with two different
neighbours makes two fours at once and wins. That picture is the same for five on 15x15 and for four in a cube.

The idea of searching forcing moves alone is from Allis, van den Herik and Huntjens, *Go-Moku and Threat-Space Search*
(1993), and from Patashnik, *Qubic: 4x4x4 Tic-Tac-Toe* (1980).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.rules.variant import Variant, lines, lines_through

ENDLESS: Final = 999  # a depth that no board reaches


class Board(NamedTuple):
    """The lines of a variant as masks, all of them and by cell (keyed by the cell's bit, as searches hold it)."""

    size: int
    full: int
    lines: tuple[int, ...]
    through: dict[int, tuple[int, ...]]


@lru_cache(maxsize=16)
def board_of(variant: Variant) -> Board:
    """The lines of ``variant``, made once."""
    through = lines_through(variant.shape, variant.line)
    return Board(
        variant.cells,
        (1 << variant.cells) - 1,
        lines(variant.shape, variant.line),
        {1 << cell: through[cell] for cell in range(variant.cells)},
    )


class Lacks(NamedTuple):
    """What one side's open lines lack: ``fours`` is the union of the cells that complete a line."""

    fours: int
    pairs: list[int]
    triples: list[int]


def lacks(board: Board, own: int, other: int) -> Lacks:
    """Scan every line for the side with the marks ``own``."""
    fours = 0
    pairs = []
    triples = []
    for line in board.lines:
        if line & own and not line & other:
            left = line & ~own
            count = left.bit_count()
            if count == 2:
                pairs.append(left)
            elif count == 3:
                triples.append(left)
            elif count == 1:
                fours |= left
    return Lacks(fours, pairs, triples)


def bits(mask: int) -> list[int]:
    """The single bits of a mask, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low)
        mask ^= low
    return found


def neighbours(pairs: list[int]) -> dict[int, int]:
    """For each cell that makes a four, the cells that would then complete it."""
    replies: dict[int, int] = {}
    for pair in pairs:
        low = pair & -pair
        high = pair ^ low
        replies[low] = replies.get(low, 0) | high
        replies[high] = replies.get(high, 0) | low
    return replies


def completions(board: Board, bit: int, own: int, other: int) -> int:
    """The cells that complete a line of ``own`` through ``bit``, which ``own`` has just filled."""
    found = 0
    for line in board.through[bit]:
        if not line & other:
            left = line & ~own
            if not left & (left - 1):
                found |= left
    return found


class FourSearch:
    """Wins by continuous fours for either side, with memory of what failed.

    The attacker's marks are ``own``. Every move makes a four whose only answer is forced, so a solution is one line of
    play: ``(m1, r1), (m2, r2), …, (mk, completions)`` where the last completes in two places or more; it wins in
    ``2k + 1`` plies. Iterative deepening finds the shortest.
    """

    __slots__ = ("_budget", "_cut", "_failed", "_stop", "board", "nodes")

    def __init__(self, board: Board, budget: Budget) -> None:
        self.board = board
        self.nodes = 0
        self._budget = budget
        self._stop = 0
        self._cut = False
        # marks of attacker and defender -> number of fours up to which there is no win
        self._failed: dict[tuple[int, int], int] = {}

    def solve(
        self, own: int, other: int, pairs: list[int], must: int, depth: int = ENDLESS, limit: int = 1 << 60
    ) -> list[tuple[int, int]] | None:
        """A shortest win for ``own``, who is to move and cannot complete a line at once, by at most ``depth`` fours;
        None when there is none. ``must``: the cells that would complete a line of the opponent.

        Raises OutOfTimeError at the deadline, or after ``limit`` nodes.
        """
        if must & (must - 1) or not pairs:
            return None
        self._stop = self.nodes + limit
        if len(self._failed) > 400_000:
            self._failed.clear()
        reach = 1
        while True:
            self._cut = False
            found = self._attack(own, other, pairs, must, reach)
            if found is not None:
                found.reverse()
                return found
            if not self._cut or reach >= depth:
                return None
            reach += 1

    def _attack(self, own: int, other: int, pairs: list[int], must: int, reach: int) -> list[tuple[int, int]] | None:
        self.nodes += 1
        if not self.nodes & 31:
            self._budget.check()
        if self.nodes > self._stop:
            raise OutOfTimeError
        replies = neighbours(pairs)
        if must:
            answer = replies.get(must)
            if answer is None:
                return None
            replies = {must: answer}
        for move, reply in replies.items():
            if reply & (reply - 1):
                return [(move, reply)]
        if reach == 1:
            self._cut = True
            return None
        failed = self._failed
        through = self.board.through
        outer = self._cut
        for move, reply in replies.items():
            mine = own | move
            theirs = other | reply
            key = (mine, theirs)
            known = failed.get(key, 0)
            if known >= reach - 1:
                if known != ENDLESS:
                    outer = True
                continue
            counter = 0
            for line in through[reply]:
                if not line & mine:
                    left = line & ~theirs
                    if not left & (left - 1):
                        counter |= left
            self._cut = False
            if not counter & (counter - 1):
                both = move | reply
                after = [pair for pair in pairs if not pair & both]
                for line in through[move]:
                    if not line & theirs:
                        left = line & ~mine
                        if left.bit_count() == 2:
                            after.append(left)
                if after:
                    found = self._attack(mine, theirs, after, counter, reach - 1)
                    if found is not None:
                        found.append((move, reply))
                        return found
            if self._cut:
                failed[key] = reach - 1
                outer = True
            else:
                failed[key] = ENDLESS
        self._cut = outer
        return None


def refuters(board: Board, own: int, other: int, win: list[tuple[int, int]]) -> int:
    """Every cell that may spoil ``win``, a win by fours of ``own``, if ``other`` fills it first.

    Any other cell leaves each move of the win empty, each reply forced, and the defender without a line that could
    come to lack one cell on the way: so it loses, and need not be tried.
    """
    spoil = 0
    theirs = other
    for move, reply in win[:-1]:
        spoil |= move | reply
        theirs |= reply
    move, reply = win[-1]
    spoil |= move
    if reply.bit_count() == 2:
        spoil |= reply
    for line in board.lines:
        if not line & own:
            left = line & ~theirs
            if left.bit_count() <= 2:
                spoil |= left
    return spoil & ~(own | other)


class Defence(NamedTuple):
    """The moves that leave the opponent without a win by fours. ``threat``: whether the opponent had one at all;
    ``delays`` are fours that only put it off as far as was looked; ``proved``: every other move surely loses."""

    threat: bool
    holding: int
    delays: int
    proved: bool


def defend(search: FourSearch, own: int, other: int, depth: int = 4, limit: int = 1 << 60) -> Defence:
    """Which moves of ``own``, to move, stop a win by fours of ``other``?

    Neither side may have more than one cell that completes a line, and ``own`` none. A move that is a four of one's own
    holds only if some move after its forced answer holds (looked at to ``depth`` fours in a row).
    """
    board = search.board
    mine = lacks(board, own, other)
    theirs = lacks(board, other, own)
    empty = board.full & ~(own | other)
    fours = neighbours(mine.pairs)
    if theirs.fours:
        candidates = theirs.fours
        if candidates & (candidates - 1):
            return Defence(True, 0, 0, True)
    else:
        win = search.solve(other, own, theirs.pairs, 0, limit=limit)
        if win is None:
            return Defence(False, empty, 0, True)
        candidates = refuters(board, other, own, win)
    holding = 0
    delays = 0
    proved = True
    # The likeliest first: what takes a cell of the win, then fours of one's own.
    waiting = sorted(bits(candidates), key=lambda bit: bit in fours)
    for number, bit in enumerate(waiting):
        if not bit & candidates:
            continue
        answer = fours.get(bit, 0)
        if answer & (answer - 1):
            holding |= bit  # two fours at once: this wins
            continue
        try:
            if answer:
                counter = completions(board, answer, other | answer, own | bit)
                if counter & (counter - 1):
                    continue
                after = Defence(True, 0, bit, False)
                if depth:
                    after = defend(search, own | bit, other | answer, depth - 1, limit)
                if after.holding:
                    holding |= bit
                elif after.delays or not after.proved:
                    delays |= bit
                    proved = False
                continue
            pairs = [pair for pair in theirs.pairs if not pair & bit]
            win = search.solve(other, own | bit, pairs, 0, limit=limit)
        except OutOfTimeError:
            # What is not looked at yet may hold as well as not.
            for rest in waiting[number:]:
                delays |= rest & candidates
            return Defence(True, holding, delays, False)
        if win is None:
            holding |= bit
        elif not theirs.fours:
            # A win that stands after this move stands without it: what does not spoil it loses too.
            candidates &= refuters(board, other, own, win) | holding | delays
    return Defence(True, holding, delays, proved)
