"""The openings of 5x5: every position with at most four marks, up to symmetry, with its value and plies.

``make books`` computes the book with :mod:`noughts.engine.five_by_five.attack`, and ``make prove`` computes it again.

A key lists the cells of the marks, each plus one, as digits of base 26. So the keys are dense::

    first X, second X, first O, second O       cells ascending, 0 where there is no such mark yet

The numbers of X and of O differ by at most one, so the key determines the turn. The value of an entry is the number of
plies to the end: odd for a win of the side to move, even for a loss, 0 for a draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from noughts.engine import book
from noughts.engine.five_by_five.attack import SIZE, cells_of
from noughts.engine.symmetry import cell_permutations
from noughts.rules.variant import VARIANTS

MARKS: Final = 4
"""The book holds the positions with up to this many marks."""
_BASE: Final = SIZE + 1
_IMAGES: Final = cell_permutations(VARIANTS["5x5"].shape, False)


@lru_cache(maxsize=1)
def load_openings() -> Mapping[int, int]:
    """Return the entries of the book, none if its file is damaged."""
    return book.entries_or_warn("5x5")


def opening_key(x: int, o: int) -> int:
    """Return the key of a position: the same for positions that differ by a rotation or a mirror image."""
    return _key(cells_of(x), cells_of(o))


@lru_cache(maxsize=1 << 14)
def _key(x_cells: tuple[int, ...], o_cells: tuple[int, ...]) -> int:
    smallest = -1
    for image in _IMAGES:
        key = 0
        for cells in (x_cells, o_cells):
            digits = sorted([image[cell] + 1 for cell in cells])
            for i in range(MARKS // 2):
                key = key * _BASE + (digits[i] if i < len(digits) else 0)
        if smallest < 0 or key < smallest:
            smallest = key
    return smallest
