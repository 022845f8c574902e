"""A position of four in a row as its searches need it: the bit masks of :mod:`noughts.engine.four_in_a_row.masks`."""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.engine.four_in_a_row.masks import BOTTOM, winning
from noughts.rules.position import Position

COLUMN: Final = tuple(0b111111 << 7 * column for column in range(7))
CENTRE_FIRST: Final = (3, 2, 4, 1, 5, 0, 6)
CELL_BITS: Final = tuple(1 << 7 * (cell % 7) + 5 - cell // 7 for cell in range(42))
"""The bit of each cell."""


class Board(NamedTuple):
    """The marks of the side to move, all marks, and the ply."""

    me: int
    occupied: int
    ply: int

    def columns(self) -> list[int]:
        """Return the columns that are not full, the centre first."""
        return [column for column in CENTRE_FIRST if self.move(column)]

    def move(self, column: int) -> int:
        """Return the lowest free cell of the column as a bit, 0 if the column is full."""
        return (self.occupied + BOTTOM) & COLUMN[column]

    def after(self, column: int) -> Board:
        """Return the position after a move, with the opponent to move."""
        return Board(self.me ^ self.occupied, self.occupied | self.move(column), self.ply + 1)

    def wins(self, column: int) -> bool:
        """Return whether a move to the column completes a line."""
        return winning(self.me, self.occupied) & self.move(column) != 0

    def blocking(self, columns: list[int]) -> list[int]:
        """Return those of the columns in which the opponent would complete a line next, or all if there are none."""
        theirs = winning(self.me ^ self.occupied, self.occupied)
        return [column for column in columns if theirs & self.move(column)] or columns

    def mirrored(self) -> Board:
        """Return the position with its columns in reverse order."""
        return Board(_mirrored(self.me), _mirrored(self.occupied), self.ply)

    def canonical(self) -> Board:
        """Return the one of the position and its mirror image that has the smaller sum."""
        image = self.mirrored()
        return image if image.sum < self.sum else self

    @property
    def sum(self) -> int:
        """A number that no other position has."""
        return self.me + self.occupied


def board_of(position: Position) -> Board:
    """Return the bit masks of a position."""
    x = sum(bit for cell, bit in enumerate(CELL_BITS) if position.x >> cell & 1)
    o = sum(bit for cell, bit in enumerate(CELL_BITS) if position.o >> cell & 1)
    return Board(o if position.ply & 1 else x, x | o, position.ply)


def board_of_sum(total: int) -> Board:
    """Return the position with this sum.

    In each column the sum is ``bar + marks``, where ``bar`` is as many ones as the column has marks. The highest bit of
    ``sum + 1`` gives the number of marks::

        column   O X X   (from below; X to move)    occupied 111, me 110    sum 111 + 110 = 1101
    """
    me = occupied = ply = 0
    for column in range(7):
        part = total >> 7 * column & 0b1111111
        height = (part + 1).bit_length() - 1
        bar = (1 << height) - 1
        me |= part - bar << 7 * column
        occupied |= bar << 7 * column
        ply += height
    return Board(me, occupied, ply)


def cell_of(bit: int) -> int:
    """Return the index of the cell of one bit."""
    column, height = divmod(bit.bit_length() - 1, 7)
    return (5 - height) * 7 + column


def _mirrored(mask: int) -> int:
    image = 0
    for column in range(7):
        image |= (mask >> 7 * column & 0b1111111) << 7 * (6 - column)
    return image
