"""The geometry of a board, from its shape alone: the names of its cells, its lines.

A shape is (columns, rows) or (columns, rows, layers). A cell's index runs along columns, then rows, then layers, and bit
``i`` of a mask stands for the cell with index ``i``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, product
from typing import Final, TypeVar

T = TypeVar("T")

_BITS_OF_DIGITS: Final = bytes.maketrans(b"01", b"\x00\x01")


def chosen(items: tuple[T, ...], mask: int) -> tuple[T, ...]:
    """Return the items whose bits are set in ``mask``, in order.

    All loops run in C: for the 225 cells of gomoku that takes a quarter of the time of a comprehension.
    """
    return tuple(compress(items, bin(mask)[:1:-1].encode().translate(_BITS_OF_DIGITS)))


@lru_cache(maxsize=64)
def cell_names(shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return the name of each cell, by index: ``a1``, ``b1``, … or with layers ``a1.1``, ``b1.1``, …"""
    plane = [f"{chr(ord('a') + column)}{row + 1}" for row in range(shape[1]) for column in range(shape[0])]
    if len(shape) == 2:
        return tuple(plane)
    return tuple(f"{name}.{layer + 1}" for layer in range(shape[2]) for name in plane)


@lru_cache(maxsize=64)
def lines(shape: tuple[int, ...], length: int) -> tuple[int, ...]:
    """Return every straight line of ``length`` cells in ``shape``, as bit masks, in a fixed order.

    A line starts at a cell and goes in one of half of the directions of the grid (4 of 8 in two dimensions, 13 of 26 in
    three), so that none is counted from both ends.
    """
    columns, rows = shape[0], shape[1]
    layers = shape[2] if len(shape) == 3 else 1
    directions = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
    masks = []
    for layer, row, column in product(range(layers), range(rows), range(columns)):
        for down, across, along in directions:
            last = (layer + down * (length - 1), row + across * (length - 1), column + along * (length - 1))
            if not (0 <= last[0] < layers and 0 <= last[1] < rows and 0 <= last[2] < columns):
                continue
            mask = 0
            for i in range(length):
                cell = ((layer + down * i) * rows + row + across * i) * columns + column + along * i
                mask |= 1 << cell
            masks.append(mask)
    return tuple(masks)


@lru_cache(maxsize=64)
def lines_through(shape: tuple[int, ...], length: int) -> tuple[tuple[int, ...], ...]:
    """Return for each cell the lines that it lies on, as bit masks, in the order of :func:`lines`."""
    through: list[list[int]] = [[] for _ in cell_names(shape)]
    for line in lines(shape, length):
        for lines_of_cell in chosen(tuple(through), line):
            lines_of_cell.append(line)
    return tuple(tuple(lines_of_cell) for lines_of_cell in through)
