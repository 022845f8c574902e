"""Where the cells of a board lie in its picture, for every variant. A cell is 100 units wide, as on the page."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from noughts.rules.variant import Variant

Point: TypeAlias = tuple[float, float]

CELL: Final = 100
_BOARD_GAP: Final = 34
_LAYER_STEP: Final = 226
_SLANT: Final = (1.0, 0.0, 0.6, 0.44)
"""The linear part of the map from a layer to the picture: a layer lies slanted, so the four form a stack."""
_FLAT: Final = (1.0, 0.0, 0.0, 1.0)


class Layout(NamedTuple):
    """Where the cells of a board lie: the size of the board, the top left corner of each cell by index, and the slant."""

    width: float
    height: float
    corners: tuple[Point, ...]
    slant: tuple[float, float, float, float] = _FLAT

    def at(self, cell: int, x: float, y: float) -> Point:
        """Return a point of a cell, given in the units of its box."""
        a, b, c, d = self.slant
        left, top = self.corners[cell]
        return left + a * x + c * y, top + b * x + d * y

    def middle(self, cell: int) -> Point:
        return self.at(cell, CELL / 2, CELL / 2)

    def box(self, cell: int) -> str:
        """Return the transform of the cell's box of 100."""
        return f"matrix({' '.join(f'{part:g}' for part in (*self.slant, *self.corners[cell]))})"


def layout_of(variant: Variant) -> Layout:
    """Return the layout of a board. Layers form a stack, small boards have gaps."""
    margin = 16 if variant.gravity else 8 if variant.nested else 0
    slant = _SLANT if variant.layers > 1 else _FLAT
    corners = []
    for cell in variant.every_cell:
        layer, rest = divmod(cell, variant.columns * variant.rows)
        row, column = divmod(rest, variant.columns)
        x, y = float(column * CELL + margin), float(row * CELL + margin)
        if variant.nested:
            x += column // 3 * _BOARD_GAP
            y += row // 3 * _BOARD_GAP
        corners.append((slant[0] * x + slant[2] * y, slant[1] * x + slant[3] * y + layer * _LAYER_STEP))
    width, height = (size * CELL + 2 * margin + (2 * _BOARD_GAP if variant.nested else 0) for size in variant.shape[:2])
    above = _LAYER_STEP * (variant.layers - 1)
    return Layout(width * slant[0] + height * slant[2], height * slant[3] + above, tuple(corners), slant)
