"""The masks of four in a row (seven columns, six rows, gravity), and the cells that complete a line.

A position is two masks, ``me`` (marks of the side to move) and ``occupied`` (all marks), column by column. One bit on
top of each column is always free, so that no line and no addition runs from one column into the next::

     6 13 20 27 34 41 48   <- always free
     5 12 19 26 33 40 47      row 1 of the board (a1 … g1)
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42      row 6, where the first marks fall

``occupied + BOTTOM`` carries through each column to its lowest free bit. ``me + occupied`` is unique for a position: in
each column it is the marks of one side above a bar as high as the column.
"""

from __future__ import annotations

from typing import Final

BOTTOM: Final = 0b0000001_0000001_0000001_0000001_0000001_0000001_0000001
FULL: Final = 0b0111111_0111111_0111111_0111111_0111111_0111111_0111111
ODD_ROWS: Final = 0b0010101_0010101_0010101_0010101_0010101_0010101_0010101
"""The first, third and fifth cell of each column from below."""
EVEN_ROWS: Final = 0b0101010_0101010_0101010_0101010_0101010_0101010_0101010
COLUMNS_CENTRE_FIRST: Final = tuple(0b0111111 << 7 * column for column in (3, 2, 4, 1, 5, 0, 6))


def winning(marks: int, occupied: int) -> int:
    """Return the free cells, reachable now or later, where one more of ``marks`` completes a line.

    Three marks of a line of four always hold two neighbours. The gap is next to that pair, or one cell further.
    """
    completing = (marks << 1) & (marks << 2) & (marks << 3)
    pairs = marks & (marks << 7)  # along the row: cells whose left neighbour is marked as well
    if pairs:
        completing |= (pairs << 7 & (marks << 21 | marks >> 7)) | (pairs >> 14 & (marks << 7 | marks >> 21))
    pairs = marks & (marks << 6)
    if pairs:
        completing |= (pairs << 6 & (marks << 18 | marks >> 6)) | (pairs >> 12 & (marks << 6 | marks >> 18))
    pairs = marks & (marks << 8)
    if pairs:
        completing |= (pairs << 8 & (marks << 24 | marks >> 8)) | (pairs >> 16 & (marks << 8 | marks >> 24))
    return completing & (occupied ^ FULL)
