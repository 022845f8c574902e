"""The book of Qubic: a strategy with which X wins against every reply of O.

It holds positions with X to move from which X has no win by fours yet, each with X's next move. Every reply of O to that
move is either an entry again, or X then wins by fours (:mod:`noughts.engine.threats.lines`). ``tools/prove/qubic.py``
proves this with code of its own.

The entries are a tree. The first one is the empty cube. Every other one follows from an earlier entry by X's move there
and one reply of O::

    key      (number of the earlier entry, from 1) * 64 + cell of O's reply      0 for the empty cube
    value    cell of X's move

Of positions that differ only by a symmetry the book holds one. The cube has 192 symmetries: 48 rotations and mirror
images, times four permutations of the coordinates 0 to 3, applied to all axes, that map lines to lines (R. Silver, *The
Group of Automorphisms of the Game of 3-Dimensional Ticktacktoe*, 1967).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from noughts.engine.symmetry import cell_permutations

SHAPE: Final = (4, 4, 4)
CELLS: Final = 64
COORDINATES: Final = ((0, 1, 2, 3), (1, 0, 3, 2), (0, 2, 1, 3), (2, 0, 3, 1))
"""The permutations of the coordinates: the identity, inside out, the middle two exchanged, and both."""


class Entry(NamedTuple):
    """A position with X to move, as masks, and the cell of X's move."""

    x: int
    o: int
    cell: int


def symmetries() -> tuple[tuple[int, ...], ...]:
    """Return for each of the 192 symmetries the image of every cell; the identity comes first."""
    images = []
    for coordinates in COORDINATES:
        for permutation in cell_permutations(SHAPE, False):
            image = [
                coordinates[to & 3] | coordinates[to >> 2 & 3] << 2 | coordinates[to >> 4] << 4 for to in permutation
            ]
            images.append(tuple(image))
    return tuple(images)


def walk(entries: Mapping[int, int]) -> Iterator[Entry]:
    """Yield the positions of the book in the order of the keys. Raise ValueError if an entry is impossible."""
    positions: list[Entry] = []
    for key in sorted(entries):
        cell = entries[key]
        before, reply = divmod(key, CELLS)
        x = o = 0
        if positions:
            if not 0 < before <= len(positions):
                raise ValueError(f"the book of Qubic is not a tree at {key}")
            x, o, move = positions[before - 1]
            x |= 1 << move
            if (x | o) >> reply & 1:
                raise ValueError(f"the book of Qubic fills a cell twice at {key}")
            o |= 1 << reply
        elif key:
            raise ValueError("the book of Qubic does not begin with the empty cube")
        if cell >= CELLS or (x | o) >> cell & 1:
            raise ValueError(f"the book of Qubic has no legal move at {key}")
        positions.append(Entry(x, o, cell))
        yield positions[-1]


class QubicBook:
    """The entries of the book by position. A look-up takes about a fifth of a millisecond."""

    def __init__(self, entries: Mapping[int, int]) -> None:
        """Raise ValueError if an entry is impossible."""
        self._cells = {(x, o): cell for x, o, cell in walk(entries)}
        self._x_masks = {x for x, _ in self._cells}
        self.most_marks = max([x.bit_count() for x in self._x_masks], default=-1)
        """The marks of each side in the fullest position of the book, -1 if it has none."""
        self._images = [(image, [1 << cell for cell in image]) for image in symmetries()]
        """Each symmetry with the bits of its cells."""

    def __len__(self) -> int:
        return len(self._cells)

    def moves(self, x: int, o: int) -> int:
        """Return X's moves as a mask: the book's move and its images, 0 if no image of the position is in the book.

        There is more than one move if symmetries map the position to itself.
        """
        x_cells = _cells(x)
        o_cells = _cells(o)
        if len(x_cells) != len(o_cells) or len(x_cells) > self.most_marks:
            return 0
        moves = 0
        for image, bits in self._images:
            x_image = 0
            for cell in x_cells:
                x_image |= bits[cell]
            if x_image not in self._x_masks:
                continue
            o_image = 0
            for cell in o_cells:
                o_image |= bits[cell]
            move = self._cells.get((x_image, o_image))
            if move is not None:
                moves |= 1 << image.index(move)
        return moves

    def follows(self, x: int, o: int) -> bool:
        """Return whether a position with O to move comes from an entry by the book's move."""
        return any(self.moves(x ^ 1 << cell, o) >> cell & 1 for cell in _cells(x))


def _cells(mask: int) -> list[int]:
    return [cell for cell in range(CELLS) if mask >> cell & 1]
