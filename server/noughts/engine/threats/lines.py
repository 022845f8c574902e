"""The lines of any board on which filling a line wins, and the groups of cells that they lack.

A *line* is a mask of exactly as many cells as win; on 15x15 it is any five cells in a row, so a row of six holds two
lines. A line is *open* to a side if the opponent has no mark on it. Of an open line only the cells that it still lacks
matter. So each side has two groups of masks of empty cells::

    lacking one      X X . X X      ->   ..1..      a *four*: the cell completes it
    lacking two      X . X . X      ->   .1.1.      a *pair*: either cell makes a four, the other answers it

A pair is an edge between two cells. To make a four on one end forces the reply on the other. A cell with two different
neighbours makes two fours at once and wins. The picture is the same for five on 15x15 and for four in a cube.

The idea to search forcing moves alone is from Allis, van den Herik and Huntjens, *Go-Moku and Threat-Space Search*
(1993), and from Patashnik, *Qubic: 4x4x4 Tic-Tac-Toe* (1980).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from noughts.rules.variant import Variant, lines, lines_through


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


def open_lines(board: Board, own: int, other: int) -> OpenLines:
    """Return the open lines of the side with the marks ``own``."""
    fours = 0
    pairs = []
    for line in board.lines:
        if line & own and not line & other:
            rest = line & ~own
            count = rest.bit_count()
            if count == 2:
                pairs.append(rest)
            elif count == 1:
                fours |= rest
    return OpenLines(fours, pairs)


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
