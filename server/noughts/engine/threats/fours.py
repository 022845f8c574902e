"""Wins by continuous fours, and the defences to them, on any board on which filling a line wins.

A *line* is a mask of exactly as many cells as win; on 15x15 it is any five cells in a row, so a row of six holds two
lines. A line is *open* to a side if the opponent has no mark on it. Of an open line only the cells that it still lacks
matter. So each side has three groups of masks of empty cells::

    lacking one      X X . X X      ->   ..1..      a *four*: the cell completes it
    lacking two      X . X . X      ->   .1.1.      a *pair*: either cell makes a four, the other answers it
    lacking three    . . X X .      ->   11..1      a *triple*: any of its cells makes a pair

A pair is an edge between two cells. To make a four on one end forces the reply on the other. A cell with two different
neighbours makes two fours at once and wins. The picture is the same for five on 15x15 and for four in a cube.

The idea to search forcing moves alone is from Allis, van den Herik and Huntjens, *Go-Moku and Threat-Space Search*
(1993), and from Patashnik, *Qubic: 4x4x4 Tic-Tac-Toe* (1980).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.rules.variant import Variant, lines, lines_through

UNLIMITED: Final = 999  # a depth that no board reaches
FAILURES_LIMIT: Final = 400_000


class Board(NamedTuple):
    """The lines of a variant as masks: all of them, and by cell (the keys are the bits of the cells)."""

    size: int
    full: int
    lines: tuple[int, ...]
    through: dict[int, tuple[int, ...]]


@lru_cache(maxsize=16)
def board_of(variant: Variant) -> Board:
    """Return the lines of ``variant``."""
    through = lines_through(variant.shape, variant.line)
    return Board(
        variant.cells,
        (1 << variant.cells) - 1,
        lines(variant.shape, variant.line),
        {1 << cell: through[cell] for cell in range(variant.cells)},
    )


class OpenLines(NamedTuple):
    """The cells that one side's open lines lack. ``fours`` is one mask of all cells that complete a line."""

    fours: int
    pairs: list[int]
    triples: list[int]


def open_lines(board: Board, own: int, other: int) -> OpenLines:
    """Return the open lines of the side with the marks ``own``."""
    fours = 0
    pairs = []
    triples = []
    for line in board.lines:
        if line & own and not line & other:
            rest = line & ~own
            count = rest.bit_count()
            if count == 2:
                pairs.append(rest)
            elif count == 3:
                triples.append(rest)
            elif count == 1:
                fours |= rest
    return OpenLines(fours, pairs, triples)


def bits(mask: int) -> list[int]:
    """Return the single bits of a mask, lowest first."""
    single = []
    while mask:
        low = mask & -mask
        single.append(low)
        mask ^= low
    return single


def neighbours(pairs: list[int]) -> dict[int, int]:
    """Return for each cell that makes a four the mask of the cells that then complete it."""
    replies: dict[int, int] = {}
    for pair in pairs:
        low = pair & -pair
        high = pair ^ low
        replies[low] = replies.get(low, 0) | high
        replies[high] = replies.get(high, 0) | low
    return replies


def completions(board: Board, bit: int, own: int, other: int) -> int:
    """Return the cells that complete a line of ``own`` through ``bit``, its latest mark."""
    cells = 0
    for line in board.through[bit]:
        if not line & other:
            rest = line & ~own
            if not rest & (rest - 1):
                cells |= rest
    return cells


class WinsByFours(Protocol):
    """The interface of :class:`FourSearch`, which a compiled program fulfils too."""

    @property
    def board(self) -> Board: ...

    def solve(
        self, own: int, other: int, pairs: list[int], blocks: int, depth: int = UNLIMITED, limit: int = 1 << 60
    ) -> list[tuple[int, int]] | None: ...


class FourSearch:
    """A search for wins by continuous fours of either side. Its table of failures is kept between calls.

    The attacker's marks are ``own``. Every move makes a four with one forced reply, so a win is a single line of play:
    ``(m1, r1), (m2, r2), …, (mk, completions)``. Its last move can complete a line in two places or more, and it wins
    in ``2k + 1`` plies. Iterative deepening finds the shortest.
    """

    __slots__ = ("_budget", "_failures", "_limit_reached", "_node_limit", "board", "nodes")

    def __init__(self, board: Board, budget: Budget) -> None:
        self.board = board
        self.nodes = 0
        self._budget = budget
        self._node_limit = 0
        self._limit_reached = False
        # marks of attacker and defender -> number of fours up to which there is no win
        self._failures: dict[tuple[int, int], int] = {}

    def solve(
        self, own: int, other: int, pairs: list[int], blocks: int, depth: int = UNLIMITED, limit: int = 1 << 60
    ) -> list[tuple[int, int]] | None:
        """Return a shortest win of ``own`` by at most ``depth`` fours, or None if there is none.

        ``own`` is to move and cannot complete a line at once. ``blocks`` are the cells that would complete a line of
        the opponent. Raise OutOfTimeError at the deadline, or after ``limit`` nodes.
        """
        if blocks & (blocks - 1) or not pairs:
            return None
        self._node_limit = self.nodes + limit
        if len(self._failures) > FAILURES_LIMIT:
            self._failures.clear()
        reach = 1
        while True:
            self._limit_reached = False
            win = self._attack(own, other, pairs, blocks, reach)
            if win is not None:
                win.reverse()
                return win
            if not self._limit_reached or reach >= depth:
                return None
            reach += 1

    def _attack(self, own: int, other: int, pairs: list[int], blocks: int, reach: int) -> list[tuple[int, int]] | None:
        self.nodes += 1
        if not self.nodes & 31:
            self._budget.check()
        if self.nodes > self._node_limit:
            raise OutOfTimeError
        replies = neighbours(pairs)
        if blocks:
            answer = replies.get(blocks)
            if answer is None:
                return None
            replies = {blocks: answer}
        for move, reply in replies.items():
            if reply & (reply - 1):
                return [(move, reply)]
        if reach == 1:
            self._limit_reached = True
            return None
        failures = self._failures
        through = self.board.through
        limit_reached = self._limit_reached
        for move, reply in replies.items():
            mine = own | move
            theirs = other | reply
            key = (mine, theirs)
            failed_depth = failures.get(key, 0)
            if failed_depth >= reach - 1:
                if failed_depth != UNLIMITED:
                    limit_reached = True
                continue
            counter = 0
            for line in through[reply]:
                if not line & mine:
                    rest = line & ~theirs
                    if not rest & (rest - 1):
                        counter |= rest
            self._limit_reached = False
            if not counter & (counter - 1):
                both = move | reply
                after = [pair for pair in pairs if not pair & both]
                for line in through[move]:
                    if not line & theirs:
                        rest = line & ~mine
                        if rest.bit_count() == 2:
                            after.append(rest)
                if after:
                    win = self._attack(mine, theirs, after, counter, reach - 1)
                    if win is not None:
                        win.append((move, reply))
                        return win
            if self._limit_reached:
                failures[key] = reach - 1
                limit_reached = True
            else:
                failures[key] = UNLIMITED
        self._limit_reached = limit_reached
        return None


def refuters(board: Board, own: int, other: int, win: list[tuple[int, int]], other_pairs: list[int]) -> int:
    """Return every cell that may refute ``win``, a win by fours of ``own``, if ``other`` fills it first.

    ``other_pairs`` are all pairs of ``other``, which cannot complete a line at once. Only the replies add to them.

    After a move to any other cell, each move of the win is still possible and each reply still forced, and no line of
    the defender comes to lack one cell on the way. So such a move loses and needs no search.
    """
    cells = 0
    theirs = other
    for move, reply in win[:-1]:
        cells |= move | reply
        theirs |= reply
    move, reply = win[-1]
    cells |= move
    if reply.bit_count() == 2:
        cells |= reply
    for pair in other_pairs:
        cells |= pair
    for _, reply in win[:-1]:
        for line in board.through[reply]:
            if not line & own:
                rest = line & ~theirs
                if rest.bit_count() <= 2:
                    cells |= rest
    return cells & ~(own | other)


class Defence(NamedTuple):
    """The moves that leave the opponent without a win by fours.

    ``threat``: the opponent has such a win. ``holding``: the moves that stop it. ``delays``: fours that postpone it
    beyond the depth of the search. ``proved``: every other move loses.
    """

    threat: bool
    holding: int
    delays: int
    proved: bool


def defend(search: WinsByFours, own: int, other: int, depth: int = 4, limit: int = 1 << 60) -> Defence:
    """Return the moves of ``own``, to move, that stop a win by fours of ``other``.

    ``other`` may have at most one cell that completes a line, and ``own`` none. A four of ``own`` stops the win only if
    some move after its forced answer does; the search follows at most ``depth`` such fours in a row. ``limit`` is the
    number of nodes of one search. Raise OutOfTimeError.
    """
    board = search.board
    mine = open_lines(board, own, other)
    theirs = open_lines(board, other, own)
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
        candidates = refuters(board, other, own, win, mine.pairs)
    holding = 0
    delays = 0
    proved = True
    # The likeliest first: the cells of the win, then fours of ``own``.
    queue = sorted(bits(candidates), key=lambda bit: bit in fours)
    for number, bit in enumerate(queue):
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
            # The moves that are not searched yet may hold or not.
            for rest in queue[number:]:
                delays |= rest & candidates
            return Defence(True, holding, delays, False)
        if win is None:
            holding |= bit
        elif not theirs.fours:
            # A win that works after this move works without it too, so every move that does not refute it loses.
            candidates &= refuters(board, other, own, win, mine.pairs) | holding | delays
    return Defence(True, holding, delays, proved)
