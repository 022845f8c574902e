"""Shapes of five in a line: what a mark on an empty cell would make in one direction.

A shape depends on the four cells before the cell and the four after it. The eight bits of ``own`` and ``blocked`` stand for
them, the farthest cell before it first. Beyond the edge a cell is blocked.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, NamedTuple

from noughts.rules.variant import Variant

LINE: Final = 5
REACH: Final = LINE - 1
NEIGHBOURS: Final = 2 * REACH
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))

NONE, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)
"""An open four completes a line in two ways. Any other open shape can become the next open one."""


def fits_shapes(variant: Variant) -> bool:
    """Return whether the variant is played on a plane and five in a line win."""
    return variant.layers == 1 and variant.line == LINE


@cache
def shape(own: int, blocked: int) -> int:
    """Return the shape that a mark makes with the marks ``own``. ``blocked`` has none of these."""
    marks = own & 15 | 16 | own >> REACH << LINE
    if any(marks >> first & 31 == 31 for first in range(LINE)):
        return FIVE
    after = [shape(own | 1 << place, blocked) for place in range(NEIGHBOURS) if not (own | blocked) >> place & 1]
    fives = after.count(FIVE)
    if fives:
        return OPEN_FOUR if fives > 1 else FOUR
    return max([NONE, *(each - 2 for each in after)])


class Ray(NamedTuple):
    """A row, a column or a diagonal with at least as many cells as win."""

    cells: tuple[int, ...]
    walls: int  # a bit for each place beyond its ends, the place of the first cell is ``REACH``


def near(places: int) -> int:
    """Return the eight neighbours of the fifth of nine places."""
    return places & 15 | places >> LINE << REACH & 240


@lru_cache(maxsize=8)
def rays_of(variant: Variant) -> tuple[Ray, ...]:
    """Return the rays of a plane board."""
    columns, rows = variant.columns, variant.cells // variant.columns
    rays = []
    for right, down in DIRECTIONS:
        for cell in range(variant.cells):
            row, column = divmod(cell, columns)
            if 0 <= row - down < rows and 0 <= column - right < columns:
                continue  # not the first cell of its ray
            cells = []
            while 0 <= row < rows and 0 <= column < columns:
                cells.append(row * columns + column)
                row, column = row + down, column + right
            if len(cells) >= LINE:
                rays.append(Ray(tuple(cells), 15 | 15 << REACH + len(cells)))
    return tuple(rays)
