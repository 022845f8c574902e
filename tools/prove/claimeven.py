"""A bound of a value from a rule by which the other side can reply to every mark to the end of the game.

The other side, the follower, replies above each mark, in the same column (claimeven: V. Allis, "A Knowledge-based Approach
of Connect-Four", 1988). In a column with an odd number of free cells the first free cell has no partner. Such cells, the
*switches*, are paired: the reply to one is the other. So of the free cells the side to move gets those of the first, third
and fifth row, and one switch of each pair::

    6  follower            6  follower
    5  mover               5  mover
    4  follower            4  a switch: this column has an odd number of free cells
    3  mover               3  a mark

If X is to move, the number of switches is even. If O is to move, one is left over, and X follows in its column too, from the
second cell on, where X completes a line in the third or fifth row of that column: in the end O has no move but to the cell
below it.
"""

from __future__ import annotations

from typing import Final

from noughts.engine.four_in_a_row.masks import BOTTOM, COLUMNS_CENTRE_FIRST, EVEN_ROWS, FULL, ODD_ROWS

_PAIRED_LIMIT: Final = 4
"""With more switches to pair, a line of the mover is taken for possible."""


def highest_value(mover: int, follower: int, occupied: int, completing: int, ply: int) -> int:
    """Return an upper bound of the value for ``mover``, to move: 1 for a win, 0 for a draw, -1 for a loss.

    The arguments but the last are masks: the marks of both sides, all marks, and the free cells in which the follower
    completes a line. Neither side completes a line with its next mark.
    """
    free = occupied ^ FULL
    switches = (occupied + BOTTOM) & EVEN_ROWS
    replies = free & EVEN_ROWS & ~switches
    if ply & 1 == 0:
        if may_complete(mover | _cells_of_mover(free, completing & replies), switches):
            return 1
        return -1 if has_line(follower | replies) else 0
    for column in COLUMNS_CENTRE_FIRST:
        switch, targets = switches & column, completing & ODD_ROWS & column
        if switch and targets:  # X follows in this column up to its first target
            below = ((targets & -targets) - 1) & free & EVEN_ROWS & column
            elsewhere = _cells_of_mover(free & ~column, completing & replies & ~column)
            if not may_complete(mover | elsewhere | below, switches ^ switch):
                return -1
    return 1


def _cells_of_mover(free: int, completing: int) -> int:
    """Return the free cells of odd rows, without those above a reply that completes a line: the game ends before them."""
    return free & ODD_ROWS & ~(completing << 1 | (completing & BOTTOM << 1) << 3)


def may_complete(marks: int, switches: int) -> bool:
    """Return whether ``marks`` and one switch of each pair may complete a line, however the switches are paired."""
    if has_line(marks):
        return True
    cells = [1 << bit for bit in range(switches.bit_length()) if switches >> bit & 1]
    if len(cells) > _PAIRED_LIMIT:
        return has_line(marks | switches)
    if any(has_line(marks | cell) for cell in cells):
        return True
    if len(cells) < _PAIRED_LIMIT:
        return False  # two cells of one pair do not come together
    a, b, c, d = cells
    # The follower chooses the pairing. One is safe if only its own two pairs hold lines: no line then holds one of each.
    lines = [
        has_line(marks | a | b) or has_line(marks | c | d),
        has_line(marks | a | c) or has_line(marks | b | d),
        has_line(marks | a | d) or has_line(marks | b | c),
    ]
    return sum(lines) > 1


def has_line(marks: int) -> bool:
    """Return whether four of ``marks`` are in a line. Columns come last: they have the fewest."""
    pairs = marks & marks >> 7
    if pairs & pairs >> 14:
        return True
    pairs = marks & marks >> 6
    if pairs & pairs >> 12:
        return True
    pairs = marks & marks >> 8
    if pairs & pairs >> 16:
        return True
    pairs = marks & marks >> 1
    return (pairs & pairs >> 2) != 0
