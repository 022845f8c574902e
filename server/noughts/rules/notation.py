"""Cells as text: column letter, row number, and after a dot the layer's number, as in a spreadsheet."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from noughts.errors import Rejection
from noughts.rules.variant import Variant

_FORM: Final = re.compile(r"[A-Za-z][0-9]+(?:\.[0-9]+)?", re.ASCII)


@lru_cache(maxsize=64)
def cell_names(shape: tuple[int, ...]) -> tuple[str, ...]:
    """The name of each cell, by index: ``a1``, ``b1``, … or with layers ``a1.1``, ``b1.1``, …"""
    plane = [f"{chr(ord('a') + column)}{row + 1}" for row in range(shape[1]) for column in range(shape[0])]
    if len(shape) == 2:
        return tuple(plane)
    return tuple(f"{name}.{layer + 1}" for layer in range(shape[2]) for name in plane)


@lru_cache(maxsize=64)
def _indices(shape: tuple[int, ...]) -> dict[str, int]:
    return {name: index for index, name in enumerate(cell_names(shape))}


def cell_index(variant: Variant, name: str) -> int:
    """The index of the cell called ``name``.

    Raises ``bad_message`` for what is no cell's name in any variant, ``illegal_move`` for a cell that this board lacks.
    """
    index = _indices(variant.shape).get(name)
    if index is not None:
        return index
    if not _FORM.fullmatch(name):
        raise Rejection("bad_message", "A cell is a letter and a number, like b2 (or b2.3 in a cube).")
    raise Rejection("illegal_move", f"There is no cell {name[:12]} on this board.")
