"""Variants: what a game is, as frozen data. A new member of the family is one entry in :data:`VARIANTS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Final

from noughts.errors import Rejection


@dataclass(frozen=True, slots=True)
class Variant:
    """One game. ``shape`` is (columns, rows) or (columns, rows, layers); a cell's index runs along columns, then rows,
    then layers, so that bit ``i`` of a mask of marks is the cell with index ``i``.

    Layout of 3x3::

        a1 b1 c1      0 1 2
        a2 b2 c2      3 4 5
        a3 b3 c3      6 7 8
    """

    key: str
    name: str
    rules: str
    shape: tuple[int, ...]
    line: int
    gravity: bool = False
    misere: bool = False
    marks_kept: int | None = None
    nested: bool = False  # ultimate: nine small boards, line by line

    @property
    def columns(self) -> int:
        return self.shape[0]

    @property
    def rows(self) -> int:
        return self.shape[1]

    @property
    def layers(self) -> int:
        return self.shape[2] if len(self.shape) == 3 else 1

    cells: int = field(init=False)
    """The number of cells."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", self.columns * self.rows * self.layers)

    @property
    def ply_limit(self) -> int:
        """No game is longer than this many plies; without vanishing marks the board is full by then."""
        return self.cells if self.marks_kept is None else VANISHING_PLY_LIMIT


VANISHING_PLY_LIMIT: Final = 200

_TABLE: Final = (
    Variant("classic", "Tic-tac-toe", "Three in a line wins.", (3, 3), 3),
    Variant("misere", "Misère", "Whoever completes three in a line loses.", (3, 3), 3, misere=True),
    Variant(
        "vanishing",
        "Vanishing",
        "Three in a line wins, and each side keeps three marks: as the fourth lands, the oldest leaves.",
        (3, 3),
        3,
        marks_kept=3,
    ),
    Variant("4x4", "Four by four", "Four in a line wins.", (4, 4), 4),
    Variant("5x5", "Five by five", "Four in a line wins, on five by five.", (5, 5), 4),
    Variant(
        "four-in-a-row",
        "Four in a row",
        "A mark falls to the lowest free cell of its column; four in a line wins.",
        (7, 6),
        4,
        gravity=True,
    ),
    Variant("qubic", "Qubic", "Four in a line wins, in a cube of four by four by four.", (4, 4, 4), 4),
    Variant("gomoku", "Gomoku", "Five or more in a line wins.", (15, 15), 5),
    Variant(
        "ultimate",
        "Ultimate",
        "Your cell sends the opponent to the board in its place, or to any if that is decided; three boards in a line win.",
        (9, 9),
        3,
        nested=True,
    ),
)

_BY_KEY: Final = {variant.key: variant for variant in _TABLE}

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(_BY_KEY)


def variant_named(key: str) -> Variant:
    """The variant with this key; a :class:`Rejection` ``bad_message`` names those that exist."""
    found = VARIANTS.get(key)
    if found is None:
        raise Rejection("bad_message", f"There is no variant of that name. Choose one of: {', '.join(VARIANTS)}.")
    return found


@lru_cache(maxsize=64)
def lines(shape: tuple[int, ...], length: int) -> tuple[int, ...]:
    """Every straight line of ``length`` cells in ``shape``, as bit masks, in a fixed order.

    A line starts at a cell and goes in one of half of the directions of the grid (4 of 8 in two dimensions, 13 of 26 in
    three), so that none is counted from both ends.
    """
    columns, rows = shape[0], shape[1]
    layers = shape[2] if len(shape) == 3 else 1
    halves = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
    found = []
    for layer, row, column in product(range(layers), range(rows), range(columns)):
        for down, across, along in halves:
            last = (layer + down * (length - 1), row + across * (length - 1), column + along * (length - 1))
            if not (0 <= last[0] < layers and 0 <= last[1] < rows and 0 <= last[2] < columns):
                continue
            mask = 0
            for i in range(length):
                cell = ((layer + down * i) * rows + row + across * i) * columns + column + along * i
                mask |= 1 << cell
            found.append(mask)
    return tuple(found)


@lru_cache(maxsize=64)
def lines_through(shape: tuple[int, ...], length: int) -> tuple[tuple[int, ...], ...]:
    """For each cell, the lines (bit masks) that it lies on."""
    every = lines(shape, length)
    count = 1
    for size in shape:
        count *= size
    return tuple(tuple(line for line in every if line >> cell & 1) for cell in range(count))
