"""Cells as text: column letter, row number, and after a dot the layer's number, as in a spreadsheet."""

from __future__ import annotations

import re
from typing import Final

from noughts.errors import Rejection
from noughts.rules.geometry import cell_names
from noughts.rules.variant import Variant

__all__ = ["cell_index", "cell_names"]

_FORM: Final = re.compile(r"[A-Za-z][0-9]+(?:\.[0-9]+)?", re.ASCII)


def cell_index(variant: Variant, name: str) -> int:
    """Return the index of the cell called ``name``.

    Raise ``bad_message`` for text that is no cell's name in any variant, ``illegal_move`` for a cell that this board
    lacks.
    """
    index = variant.index_of.get(name)
    if index is not None:
        return index
    if not _FORM.fullmatch(name):
        raise Rejection("bad_message", "A cell is a letter and a number, like b2 (or b2.3 in a cube).")
    raise Rejection("illegal_move", f"There is no cell {name[:12]} on this board.")
