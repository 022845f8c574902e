"""The longest defence where the opponent wins by continuous fours whatever the side to move does.

A move that leaves the opponent's win as it is loses as soon as the win allows. Two kinds of move can last longer: a cell
of the win or of a counter to it, and a four of one's own, which the opponent must answer first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.engine.budget import OutOfTimeError
from noughts.engine.threats.fours import WinsByFours, bits, completions, neighbours, open_lines, refuters

FOURS_IN_A_ROW: Final = 3  # of the side that defends
UNBOUNDED: Final = 1 << 10  # plies: the defence holds, or the search does not follow it to its end
_EXACT_PLIES: Final = 5
"""Every win in three plies makes two fours at once. If there is none, a win by fours in five plies is a soonest one."""


class LastStand(NamedTuple):
    """The moves (bits) that last the longest, and the plies to the end, None if they are not proved."""

    moves: int
    plies: int | None


def last_stand(search: WinsByFours, own: int, other: int, blocks: int) -> LastStand:
    """Return the longest defence of ``own``, to move, among those that the search has the time to compare.

    ``own`` must not be able to complete a line at once, and ``other`` in at most one cell, ``blocks``. Every move of ``own``
    should lose to continuous fours of ``other``: where some hold, the moves are those, and the plies are None.
    """
    try:
        if not blocks:
            moves, plies, exact = _longest(search, own, other, FOURS_IN_A_ROW)
        else:
            moves = blocks
            answer = neighbours(open_lines(search.board, own, other).pairs).get(blocks, 0)
            pairs = open_lines(search.board, other, own).pairs
            plies, exact = _plies_after(search, own, other, blocks, answer, pairs, FOURS_IN_A_ROW)
    except OutOfTimeError:
        return LastStand(blocks, None)
    return LastStand(moves, plies if exact else None)


def _longest(search: WinsByFours, own: int, other: int, fours_left: int) -> tuple[int, int, bool]:
    """Return the moves that last longest, the plies to the end, and whether these are exact. Raise OutOfTimeError.

    If the time ends after the first move was judged, return the best so far as not exact.
    """
    board = search.board
    mine_pairs = open_lines(board, own, other).pairs
    mine = neighbours(mine_pairs)
    their_pairs = open_lines(board, other, own).pairs
    win = search.solve(other, own, their_pairs, 0)
    if win is None:
        return board.full & ~(own | other), UNBOUNDED, False  # this defence holds
    refuting = refuters(board, other, own, win, mine_pairs)
    best = board.full & ~(own | other | refuting)
    most = 2 * len(win) + 2
    exact = most - 1 <= _EXACT_PLIES
    followed = True
    try:
        for bit in bits(refuting | _mask(mine)):
            plies, proved = _plies_after(search, own, other, bit, mine.get(bit, 0), their_pairs, fours_left)
            # A four whose plies are not proved may last longer. Any other move lasts no longer than its plies.
            followed = followed and (proved or bit not in mine)
            if plies > most:
                best, most, exact = bit, plies, proved
            elif plies == most:
                best |= bit
                exact = exact and proved
            else:
                best &= ~bit
    except OutOfTimeError:
        exact = False
    return best, most, exact and followed


def _plies_after(
    search: WinsByFours, own: int, other: int, bit: int, answer: int, their_pairs: list[int], fours_left: int
) -> tuple[int, bool]:
    """Return the plies from the position before a move to the end, and whether they are exact. Raise OutOfTimeError."""
    if not answer:
        win = search.solve(other, own | bit, [pair for pair in their_pairs if not pair & bit], 0)
        if win is None:
            return UNBOUNDED, False
        return 2 * len(win) + 2, 2 * len(win) + 1 <= _EXACT_PLIES
    if answer & (answer - 1):
        return UNBOUNDED, False
    own |= bit
    other |= answer
    return _after_four(search, own, other, answer, fours_left)


def _after_four(search: WinsByFours, own: int, other: int, answer: int, fours_left: int) -> tuple[int, bool]:
    """Return the same for a four of ``own`` and its forced answer, which may be a four as well."""
    board = search.board
    counter = completions(board, answer, other, own)
    if counter & (counter - 1):
        return 4, True
    if not fours_left:
        return 5, False
    if counter:
        own |= counter
        if completions(board, counter, own, other):
            return UNBOUNDED, False  # the block is a four: the search by depth stops here
        win = search.solve(other, own, open_lines(board, other, own).pairs, 0)
        if win is None:
            return UNBOUNDED, False
        return 2 * len(win) + 4, 2 * len(win) + 1 <= _EXACT_PLIES
    _, plies, exact = _longest(search, own, other, fours_left - 1)
    return min(plies + 2, UNBOUNDED), exact


def _mask(cells: dict[int, int]) -> int:
    mask = 0
    for bit in cells:
        mask |= bit
    return mask
