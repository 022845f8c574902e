"""Cells as text: column letter, row number, and after a dot the layer's number, as in a spreadsheet."""

from __future__ import annotations

import re
from typing import Final

from noughts.errors import Rejection
from noughts.rules.geometry import cell_names

__all__ = ["CellIndices", "cell_names"]

_FORM: Final = re.compile(r"[A-Za-z][0-9]+(?:\.[0-9]+)?", re.ASCII)


class CellIndices(dict[str, int]):
    """The index of each cell of a board, by name.

    Another name raises ``bad_message`` if it is no cell's name in any variant, else ``illegal_move``.
    """

    def __missing__(self, name: str) -> int:
        if not _FORM.fullmatch(name):
            raise Rejection("bad_message", "A cell is a letter and a number, like b2 (or b2.3 in a cube).")
        raise Rejection("illegal_move", f"There is no cell {name[:12]} on this board.")
