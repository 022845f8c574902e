"""A position of four in a row as its searches need it: the bit masks of :mod:`noughts.engine.four_in_a_row.masks`."""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.engine.four_in_a_row.masks import BOTTOM, FULL, winning
from noughts.rules.position import Position

COLUMN: Final = tuple(0b111111 << 7 * column for column in range(7))
CENTRE_FIRST: Final = (3, 2, 4, 1, 5, 0, 6)
CELL_BITS: Final = tuple(1 << 7 * (cell % 7) + 5 - cell // 7 for cell in range(42))
"""The bit of each cell."""
_COLUMN_A, _COLUMN_B, _COLUMN_C, _COLUMN_D = (0b1111111 << 7 * column for column in range(4))
_LOWEST_FIVE: Final = BOTTOM * 0b11111
_LOWEST_THREE: Final = BOTTOM * 0b111


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
        return Board(mirrored(self.me), mirrored(self.occupied), self.ply)

    def canonical(self) -> Board:
        """Return the one of the position and its mirror image that has the smaller sum."""
        image = self.mirrored()
        return image if image.sum < self.sum else self

    @property
    def key(self) -> int:
        """The smaller one of the sums of the position and its mirror image."""
        return min(self.sum, mirrored(self.sum))

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
    bars = total + BOTTOM
    bars |= bars >> 1 & FULL
    bars |= bars >> 2 & _LOWEST_FIVE
    bars |= bars >> 4 & _LOWEST_THREE
    occupied = bars >> 1 & FULL
    return Board(total - occupied, occupied, occupied.bit_count())


def cell_of(bit: int) -> int:
    """Return the index of the cell of one bit."""
    column, height = divmod(bit.bit_length() - 1, 7)
    return (5 - height) * 7 + column


def mirrored(columns: int) -> int:
    """Return a mask, or a sum, with its columns in reverse order."""
    return (
        (columns & _COLUMN_A) << 42
        | (columns & _COLUMN_B) << 28
        | (columns & _COLUMN_C) << 14
        | columns & _COLUMN_D
        | columns >> 14 & _COLUMN_C
        | columns >> 28 & _COLUMN_B
        | columns >> 42 & _COLUMN_A
    )
