"""The lines through a cell as rows: what a mark on the cell makes is looked up by the marks near it.

The lines through a cell that lie in one direction are a *row*, such as nine cells on 15x15 or one line in a cube. The
marks on a row determine the groups of empty cells (:mod:`noughts.engine.threats.fours`) of its lines. The same marks come
back in very many positions of a search, so each result is computed once and kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from noughts.engine.threats.fours import Board, bits, board_of
from noughts.rules.variant import Variant

KEPT_LIMIT: Final = 200_000  # results of all cells together, of about 400 bytes each


class Made(NamedTuple):
    """The groups of the open lines through a cell after a mark on it. ``fours`` is one mask of completing cells."""

    fours: int
    pairs: tuple[int, ...]
    triples: tuple[int, ...]


def add(groups: list[int], more: Iterable[int]) -> None:
    """Append the groups that are not there yet."""
    for group in more:
        if group not in groups:
            groups.append(group)


def rows_through(board: Board, bit: int) -> list[list[int]]:
    """Return the lines through a cell, grouped by direction, in the order of the board."""
    rows: list[list[int]] = []
    for line in board.through[bit]:
        for row in rows:
            # Lines of one direction share more than the cell, unless they lie on its two sides.
            if any((line & other).bit_count() > 1 for other in row):
                row.append(line)
                break
        else:
            rows.append([line])
    return rows


class Rows:
    """The rows of a board. A *state* is the attacker's marks, and above them the defender's: ``own | other << size``."""

    __slots__ = ("_all", "_rows", "kept", "near", "size")

    def __init__(self, board: Board) -> None:
        self.size: Final = board.size
        self._all = board.full
        self.near: Final[dict[int, int]] = {}
        self._rows: dict[int, list[tuple[int, list[int], dict[int, Made], dict[int, Made]]]] = {}
        self.kept = 0
        for bit in bits(board.full):
            rows: list[tuple[int, list[int], dict[int, Made], dict[int, Made]]] = []
            near = 0
            for lines in rows_through(board, bit):
                cells = 0
                for line in lines:
                    cells |= line
                near |= cells
                rows.append((cells | cells << board.size, lines, {}, {}))
            self._rows[bit] = rows
            self.near[bit] = near

    def forget_if_full(self) -> None:
        """Drop the kept results if there are too many. A search calls this before it begins."""
        if self.kept > KEPT_LIMIT:
            self.kept = 0
            for rows in self._rows.values():
                for _, _, *results in rows:
                    for kept in results:
                        kept.clear()

    def marks(self, state: int) -> tuple[int, int]:
        """Return the marks of the attacker and of the defender."""
        return state & self._all, state >> self.size

    def made(self, state: int, bit: int) -> list[Made]:
        """Return what the attacker's mark on ``bit`` has made, by rows; rows without groups are left out."""
        results = []
        for cells, lines, kept, _ in self._rows[bit]:
            key = state & cells
            groups = kept.get(key)
            if groups is None:
                groups = kept[key] = self._groups(lines, *self.marks(state))
            results.append(groups)
        return results

    def answered(self, state: int, bit: int) -> list[Made]:
        """Return what the defender's mark on ``bit`` has made, by rows."""
        results = []
        for cells, lines, _, kept in self._rows[bit]:
            key = state & cells
            groups = kept.get(key)
            if groups is None:
                groups = kept[key] = self._groups(lines, *reversed(self.marks(state)))
            results.append(groups)
        return results

    def _groups(self, lines: list[int], own: int, other: int) -> Made:
        """Compute the groups of a row."""
        self.kept += 1
        fours = 0
        pairs = []
        triples = []
        for line in lines:
            if not line & other:
                rest = line & ~own
                count = rest.bit_count()
                if count == 1:
                    fours |= rest
                elif count == 2 and rest not in pairs:
                    pairs.append(rest)
                elif count == 3 and rest not in triples:
                    triples.append(rest)
        return Made(fours, tuple(pairs), tuple(triples))


@lru_cache(maxsize=16)
def rows_of(variant: Variant) -> Rows:
    """Return the rows of a variant's board. Its searches share them."""
    return Rows(board_of(variant))
