"""What a player sees at a glance: the cells that complete a line now, for either side.

The weaker levels are made of this. No search: a glance costs less than drawing the board.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Final

from noughts.rules.outcome import Mark, other
from noughts.rules.position import Position
from noughts.rules.ultimate import BOARD_OF, PLACE_OF, SMALL_LINES, small_mask
from noughts.rules.variant import lines

LARGE: Final = 100
"""On boards with more cells than this a move at random is made next to a mark, so that it looks like play."""


def completing(position: Position, mark: Mark) -> tuple[int, ...]:
    """The legal cells that complete a line for ``mark`` if it fills them next (in ultimate, of a small board)."""
    variant = position.variant
    marks, others = (position.x, position.o) if mark == "X" else (position.o, position.x)
    if variant.nested:
        return tuple(cell for cell in position.legal() if _completes_small(marks, cell))
    if variant.marks_kept is not None:
        # A mark that leaves as the new one lands completes nothing. After my move the other's oldest is due.
        due = position if mark == position.turn else position.play(position.legal()[0])
        if due.fading is not None:
            marks &= ~(1 << due.fading)
    found = 0
    for line in lines(variant.shape, variant.line):
        rest = line & ~marks
        if not (rest & (rest - 1) or rest & others):
            found |= rest
    return tuple(cell for cell in position.legal() if found >> cell & 1)


def _completes_small(marks: int, cell: int) -> bool:
    mask = small_mask(marks, BOARD_OF[cell]) | 1 << PLACE_OF[cell]
    return any(line >> PLACE_OF[cell] & 1 and mask & line == line for line in SMALL_LINES)


def at_a_glance(position: Position, rng: random.Random) -> int:
    """Completes its own line, blocks the other's, else plays at random. In misère it shuns its own line and leaves
    the other's to the other."""
    legal = position.legal()
    mine = completing(position, position.turn)
    if position.variant.misere:
        theirs = completing(position, other(position.turn))
        safe = [cell for cell in legal if cell not in mine]
        return rng.choice([cell for cell in safe if cell not in theirs] or safe or legal)
    if position.variant.nested:
        winning = [cell for cell in mine if position.play(cell).ended(cell) is not None]
        mine = tuple(winning) or mine
    return rng.choice(mine or completing(position, other(position.turn)) or legal)


def at_random(position: Position, rng: random.Random) -> int:
    """Any legal cell; on a large board with marks, one next to a mark."""
    legal = position.legal()
    variant = position.variant
    taken = position.x | position.o
    if variant.cells <= LARGE or not taken:
        return rng.choice(legal)
    around = _around(variant.shape)
    near = 0
    for cell in range(variant.cells):
        if taken >> cell & 1:
            near |= around[cell]
    return rng.choice([cell for cell in legal if near >> cell & 1] or legal)


@lru_cache(maxsize=16)
def _around(shape: tuple[int, ...]) -> tuple[int, ...]:
    """For each cell the mask of those at most one step away, in any direction."""
    sizes = (*shape, 1)[:3]
    cells = [(x, y, z) for z in range(sizes[2]) for y in range(sizes[1]) for x in range(sizes[0])]
    return tuple(
        sum(1 << index for index, to in enumerate(cells) if all(abs(a - b) <= 1 for a, b in zip(at, to, strict=True)))
        for at in cells
    )
