"""The defences to wins by continuous fours: the moves that stop one, and where none does, the moves that last longest.

A move that leaves the opponent's win as it is loses as soon as the win allows. Two kinds of move can last longer: a cell
of the win or of a counter to it, and a four of one's own, which the opponent must answer first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.engine.budget import OutOfTimeError
from noughts.engine.threats.lines import bits, completions, neighbours, open_lines, refuters
from noughts.engine.threats.searches import FourSearch

FOURS_IN_A_ROW: Final = 3  # of the side that defends
UNBOUNDED: Final = 1 << 10  # plies: the defence holds, or the search does not follow it to its end
_EXACT_PLIES: Final = 5
"""Every win in three plies makes two fours at once. If there is none, a win by fours in five plies is a soonest one."""


class Defence(NamedTuple):
    """The moves that leave the opponent without a win by fours.

    ``threat``: the opponent has such a win. ``holding``: the moves that stop it. ``delays``: fours that postpone it
    beyond the depth of the search. ``proved``: every other move loses.
    """

    threat: bool
    holding: int
    delays: int
    proved: bool


def defend(search: FourSearch, own: int, other: int, depth: int = 4, limit: int = 1 << 60) -> Defence:
    """Return the moves of ``own``, to move, that stop a win by fours of ``other``.

    ``other`` may have at most one cell that completes a line, and ``own`` none. A four of ``own`` stops the win only if
    some move after its forced answer does; the search follows at most ``depth`` such fours in a row. ``limit`` is the
    number of nodes of one search. Raise OutOfTimeError.
    """
    board = search.board
    mine = open_lines(board, own, other)
    theirs = open_lines(board, other, own)
    empty = board.full & ~(own | other)
    fours = neighbours(mine.pairs)
    if theirs.fours:
        candidates = theirs.fours
        if candidates & (candidates - 1):
            return Defence(True, 0, 0, True)
    else:
        win = search.solve(other, own, theirs.pairs, 0, limit=limit)
        if win is None:
            return Defence(False, empty, 0, True)
        candidates = refuters(board, other, own, win, mine.pairs)
    holding = 0
    delays = 0
    proved = True
    # The likeliest first: the cells of the win, then fours of ``own``.
    queue = sorted(bits(candidates), key=lambda bit: bit in fours)
    for number, bit in enumerate(queue):
        if not bit & candidates:
            continue
        answer = fours.get(bit, 0)
        if answer & (answer - 1):
            holding |= bit  # two fours at once: this wins
            continue
        try:
            if answer:
                counter = completions(board, answer, other | answer, own | bit)
                if counter & (counter - 1):
                    continue
                after = Defence(True, 0, bit, False)
                if depth:
                    after = defend(search, own | bit, other | answer, depth - 1, limit)
                if after.holding:
                    holding |= bit
                elif after.delays or not after.proved:
                    delays |= bit
                    proved = False
                continue
            pairs = [pair for pair in theirs.pairs if not pair & bit]
            win = search.solve(other, own | bit, pairs, 0, limit=limit)
        except OutOfTimeError:
            # The moves that are not searched yet may hold or not.
            for rest in queue[number:]:
                delays |= rest & candidates
            return Defence(True, holding, delays, False)
        if win is None:
            holding |= bit
        elif not theirs.fours:
            # A win that works after this move works without it too, so every move that does not refute it loses.
            candidates &= refuters(board, other, own, win, mine.pairs) | holding | delays
    return Defence(True, holding, delays, proved)


class LongestDefence(NamedTuple):
    """The moves (bits) that last the longest, and the plies to the end, None if they are not proved."""

    moves: int
    plies: int | None


def longest_defence(search: FourSearch, own: int, other: int, blocks: int) -> LongestDefence:
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
        return LongestDefence(blocks, None)
    return LongestDefence(moves, plies if exact else None)


def _longest(search: FourSearch, own: int, other: int, fours_left: int) -> tuple[int, int, bool]:
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
    search: FourSearch, own: int, other: int, bit: int, answer: int, their_pairs: list[int], fours_left: int
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


def _after_four(search: FourSearch, own: int, other: int, answer: int, fours_left: int) -> tuple[int, bool]:
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
