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

from noughts.engine.four_in_a_row.masks import BOTTOM, EVEN_ROWS, FULL, ODD_ROWS, has_line

_SECOND_ROW: Final = BOTTOM << 1
_OTHER_COLUMNS: Final = {
    1 << 7 * column + row: FULL ^ 0b0111111 << 7 * column for column in range(7) for row in (1, 3, 5)
}
"""For each cell of an even row all cells of the other columns."""
_PAIRED_LIMIT: Final = 4
"""With more switches to pair, a line of the mover is taken for possible."""


def highest_value(mover: int, follower: int, occupied: int, completing: int, ply: int) -> int:
    """Return an upper bound of the value for ``mover``, to move: 1 for a win, 0 for a draw, -1 for a loss.

    The arguments but the last are masks: the marks of both sides, all marks, and the free cells in which the follower
    completes a line. Neither side completes a line with its next mark.
    """
    rest = occupied ^ FULL
    open_cells = (occupied + BOTTOM) & FULL
    if ply & 1:
        return -1 if o_is_lost(mover, rest, open_cells, completing) else 1
    if not x_is_held(mover, follower, rest, open_cells, completing, 1):
        return 1
    return -1 if x_is_held(mover, follower, rest, open_cells, completing, 0) else 0


def x_is_held(x: int, o: int, rest: int, open_cells: int, completing: int, goal: int) -> bool:
    """Return whether X, to move, cannot reach ``goal``, a draw (0) or a win (1 or more), because O follows.

    The other arguments are masks: the marks of both sides, all free cells, those that the next mark may fill, and those in
    which O completes a line. Neither side completes a line with its next mark.
    """
    cells = rest & ODD_ROWS
    completing &= EVEN_ROWS
    if completing:
        cells ^= cells & _beyond(completing ^ completing & open_cells)
    switches = open_cells & EVEN_ROWS
    if _may_complete(x | cells, switches):
        return False
    return goal > 0 or has_line(o | rest & EVEN_ROWS ^ switches)


def o_is_lost(o: int, rest: int, open_cells: int, completing: int) -> bool:
    """Return whether O, to move, loses because X follows. The masks are those of :func:`x_is_held`."""
    targets = completing & ODD_ROWS
    switches = open_cells & EVEN_ROWS
    left = switches & (targets >> 1 | targets >> 3)  # X completes a line above these
    completing &= EVEN_ROWS
    while left:
        first = left & -left
        left ^= first
        columns = _OTHER_COLUMNS[first]
        cells = rest & ODD_ROWS & columns
        replies = completing & columns
        if replies:
            cells ^= cells & _beyond(replies ^ replies & switches)
        below = first if targets & first << 1 else first | first << 2
        if not _may_complete(o | cells | below, switches ^ first):
            return True
    return False


def _beyond(completing: int) -> int:
    """Return the cells of odd rows above those where a reply completes a line: the game ends before they are filled."""
    return completing << 1 | (completing & _SECOND_ROW) << 3


def _may_complete(marks: int, switches: int) -> bool:
    """Return whether ``marks`` and one switch of each pair may complete a line, however the switches are paired."""
    if has_line(marks):
        return True
    if not switches or not has_line(marks | switches):
        return False
    count = switches.bit_count()
    if count > _PAIRED_LIMIT:
        return True
    cells = []
    while switches:
        cells.append(switches & -switches)
        switches &= switches - 1
    if any(has_line(marks | cell) for cell in cells):
        return True
    if count == 2:
        return False  # two cells of one pair do not come together
    a, b, c, d = cells
    first = has_line(marks | a | b) or has_line(marks | c | d)
    second = has_line(marks | a | c) or has_line(marks | b | d)
    third = has_line(marks | a | d) or has_line(marks | b | c)
    return first + second + third > 1
