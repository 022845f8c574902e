"""Variants: what a game is, as frozen data. A new member of the family is one entry in :data:`VARIANTS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final

from noughts.errors import Rejection
from noughts.rules.geometry import cell_names, lines, lines_through
from noughts.rules.notation import CellIndices

__all__ = ["VANISHING_PLY_LIMIT", "VARIANTS", "Variant", "lines", "lines_through", "variant_named"]

VANISHING_PLY_LIMIT: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One game: the nine fields that define it, and what follows from them, computed once.

    ``shape`` is (columns, rows) or (columns, rows, layers); a cell's index runs along columns, then rows, then layers,
    so that bit ``i`` of a mask of marks is the cell with index ``i``. Layout of 3x3::

        a1 b1 c1      0 1 2
        a2 b2 c2      3 4 5
        a3 b3 c3      6 7 8

    Two variants are equal when their defining fields are. A pickle holds these alone. A dataclass and not a
    :class:`~noughts.values.Value`, since the fields of a struct are all compared and all given by the caller.
    """

    key: str
    name: str
    rules: str
    shape: tuple[int, ...]
    line: int
    """The number of cells in a line."""
    gravity: bool = False
    misere: bool = False
    marks_kept: int | None = None
    nested: bool = False
    """Ultimate: nine small boards in one large."""

    columns: int = field(init=False, repr=False)
    rows: int = field(init=False, repr=False)
    layers: int = field(init=False, repr=False)
    cells: int = field(init=False, repr=False)
    """The number of cells."""
    ply_limit: int = field(init=False, repr=False)
    """No game is longer than this many plies; without vanishing marks the board is full by then."""
    every_cell: tuple[int, ...] = field(init=False, repr=False)
    """The indices of all cells."""
    full: int = field(init=False, repr=False)
    """The mask of all cells."""
    bottom: int = field(init=False, repr=False)
    """The mask of each layer's last row."""
    names: tuple[str, ...] = field(init=False, repr=False)
    """The name of each cell, by index."""
    index_of: Mapping[str, int] = field(init=False, repr=False)
    """The index of each cell, by name. Another name raises :class:`~noughts.errors.Rejection`."""
    lines: tuple[int, ...] = field(init=False, repr=False)
    """Every line, as a mask."""
    lines_through: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    """For each cell, the lines that it lies on."""

    def __post_init__(self) -> None:
        columns, rows, layers = (*self.shape, 1)[:3]
        cells = columns * rows * layers
        names = cell_names(self.shape)
        last_row = (1 << columns) - 1 << columns * (rows - 1)
        derived: dict[str, object] = {
            "columns": columns,
            "rows": rows,
            "layers": layers,
            "cells": cells,
            "ply_limit": cells if self.marks_kept is None else VANISHING_PLY_LIMIT,
            "every_cell": tuple(range(cells)),
            "full": (1 << cells) - 1,
            "bottom": sum(last_row << columns * rows * layer for layer in range(layers)),
            "names": names,
            "index_of": CellIndices((name, index) for index, name in enumerate(names)),
            "lines": lines(self.shape, self.line),
            "lines_through": lines_through(self.shape, self.line),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def definition(self) -> tuple[Any, ...]:
        """The values of the defining fields, as the constructor takes them."""
        return tuple(getattr(self, each.name) for each in fields(self) if each.init)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Variant) and self.definition == other.definition)

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, self.definition


def _unpickled(*definition: Any) -> Variant:
    """Return the table's own variant when it has this definition, else a new one."""
    variant = VARIANTS.get(definition[0])
    return variant if variant is not None and variant.definition == definition else Variant(*definition)


_TABLE: Final = (
    Variant("classic", "Tic-tac-toe", "Three in a line wins.", (3, 3), 3),
    Variant("misere", "Misère", "The player who completes three in a line loses.", (3, 3), 3, misere=True),
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
        "Your move sends the opponent to the small board in the same place; if that board is decided, to any open one. "
        "Three boards in a line win.",
        (9, 9),
        3,
        nested=True,
    ),
)

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType({variant.key: variant for variant in _TABLE})


def variant_named(key: str) -> Variant:
    """Return the variant with this key. Raise ``bad_message``, with the keys that exist, when there is none."""
    variant = VARIANTS.get(key)
    if variant is None:
        raise Rejection("bad_message", f"There is no variant of that name. Choose one of: {', '.join(VARIANTS)}.")
    return variant
