"""Symmetries of a board, computed from its shape, as permutations of bit masks.

A rotation or a mirror image of the board maps lines to lines, so positions that differ only by one have the same value.
With gravity only the mirror image of the columns remains, because up and down differ.

Masks are permuted a byte at a time through tables::

    mask   ....hhhh gggggggg          bit i is cell i
                |        |
              t1[hhhh] | t0[gggggggg]   each table gives the image of its eight bits
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations, product
from typing import Final, TypeAlias

from noughts.rules.variant import Variant

Tables: TypeAlias = tuple[tuple[int, ...], ...]
CHUNK: Final = 8
_BYTE: Final = (1 << CHUNK) - 1


@lru_cache(maxsize=32)
def cell_permutations(shape: tuple[int, ...], gravity: bool) -> tuple[tuple[int, ...], ...]:
    """Return for each symmetry the image of every cell; the identity comes first.

    Axes of equal length may be exchanged, and every axis may be reversed: 8 symmetries of a square, 4 of a rectangle,
    48 of a cube, 2 with gravity.
    """
    sizes = (*shape, 1)[:3]
    images: dict[tuple[int, ...], None] = {}
    for axes in permutations(range(3)):
        if any(sizes[axes[i]] != sizes[i] for i in range(3)):
            continue
        for reverse in product((False, True), repeat=3):
            if gravity and (axes != (0, 1, 2) or reverse[1] or reverse[2]):
                continue
            image = []
            for layer, row, column in product(range(sizes[2]), range(sizes[1]), range(sizes[0])):
                at = (column, row, layer)
                to = [sizes[i] - 1 - at[axes[i]] if reverse[i] else at[axes[i]] for i in range(3)]
                image.append((to[2] * sizes[1] + to[1]) * sizes[0] + to[0])
            images[tuple(image)] = None
    return tuple(images)


@lru_cache(maxsize=32)
def mask_tables(shape: tuple[int, ...], gravity: bool) -> tuple[Tables, ...]:
    """Return for each symmetry but the identity the tables that permute a mask a byte at a time."""
    images = []
    for image in cell_permutations(shape, gravity)[1:]:
        tables = []
        for first in range(0, len(image), CHUNK):
            part = image[first : first + CHUNK]
            table = [0]
            for cell in part:
                table += [entry | 1 << cell for entry in table]
            tables.append(tuple(table))
        images.append(tuple(tables))
    return tuple(images)


def permute(mask: int, tables: Tables) -> int:
    """Return the image of ``mask``."""
    image = 0
    for table in tables:
        image |= table[mask & _BYTE]
        mask >>= CHUNK
    return image


def symmetries(variant: Variant) -> tuple[Tables, ...]:
    """Return the tables of the variant's symmetries, without the identity."""
    return mask_tables(variant.shape, variant.gravity)
