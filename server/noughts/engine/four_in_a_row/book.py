"""The book of four in a row: X moves as it says, O as it likes, and X wins.

It holds positions with X to move. A key is the sum of the masks of :mod:`noughts.engine.four_in_a_row.search`, the
smaller one of the position and its mirror image; a value is ``column | end << 3``: the column of a winning move, and
where the ply at which X wins against the longest defence is proved, ``ply = 2 * end + 5``, else ``end`` is 0.

The book ends where a search of at most :data:`SHORT_NODES` nodes, with an empty table, proves the win. That makes it a
proof whole in itself: whatever O answers to the move of an entry is an entry again, or such a short search. So
:func:`prove` needs to search no further than that to prove every entry, the empty board among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from noughts.engine.book import NotProvedError
from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.search import BOTTOM, GravitySearch, winning

COLUMN: Final = tuple(0b111111 << 7 * column for column in range(7))
CENTRE_FIRST: Final = (3, 2, 4, 1, 5, 0, 6)

SHORT_NODES: Final = 20_000
"""A tenth of a second of plain Python."""
SHORT_TABLE: Final = 65_521


class Board(NamedTuple):
    """A position as the search sees it."""

    me: int
    taken: int
    ply: int

    def columns(self) -> list[int]:
        """The columns that are not full, the centre first."""
        return [column for column in CENTRE_FIRST if self.move(column)]

    def move(self, column: int) -> int:
        """The lowest free cell of the column as a bit, 0 if there is none."""
        return (self.taken + BOTTOM) & COLUMN[column]

    def after(self, column: int) -> Board:
        """The position after a move, seen by the opponent."""
        return Board(self.me ^ self.taken, self.taken | self.move(column), self.ply + 1)

    def wins(self, column: int) -> bool:
        """Whether a move to the column completes a line."""
        return winning(self.me, self.taken) & self.move(column) != 0

    def mirrored(self) -> Board:
        """The position with its columns in reverse order."""
        return Board(mirrored(self.me), mirrored(self.taken), self.ply)

    def canonical(self) -> Board:
        """Of the position and its mirror image the one with the smaller sum."""
        image = self.mirrored()
        return image if image.sum < self.sum else self

    @property
    def sum(self) -> int:
        return self.me + self.taken


def mirrored(mask: int) -> int:
    """The mask with its columns in reverse order."""
    turned = 0
    for column in range(7):
        turned |= (mask >> 7 * column & 0b1111111) << 7 * (6 - column)
    return turned


class BookMove(NamedTuple):
    """What the book knows of a position: X, to move, wins by this column; at this ply, where that is proved."""

    column: int
    ends_at: int | None


def book_move(entries: Mapping[int, int], board: Board) -> BookMove | None:
    """The book's entry for a position, turned the right way round."""
    if board.ply & 1:
        return None
    key = board.canonical().sum
    entry = entries.get(key)
    if entry is None:
        return None
    column = entry & 7
    return BookMove(column if board.sum == key else 6 - column, 2 * (entry >> 3) + 5 if entry >> 3 else None)


def book_entry(board: Board, found: BookMove) -> tuple[int, int]:
    """Key and value of an entry, the inverse of :func:`book_move`."""
    key = board.canonical().sum
    column = found.column if board.sum == key else 6 - found.column
    end = 0 if found.ends_at is None else (found.ends_at - 5) // 2
    return key, column | end << 3


class ShortSearch:
    """Searches that forget: each one starts with an empty table, and a mirror image takes the same nodes, so that what
    is short is a fact about a position."""

    def __init__(self) -> None:
        self._search = GravitySearch(SHORT_TABLE)

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._search.nodes

    def wins(self, board: Board, nodes: int = SHORT_NODES) -> bool | None:
        """Whether the side to move wins; None where that takes more nodes."""
        self._search.clear()
        self._search.allow(nodes, None)
        try:
            return self._search.score_reaches(*board.canonical(), 1)
        except OutOfTimeError:
            return None


def board_of_sum(total: int) -> Board:
    """The position that a key names. In each column the sum is ``bar + marks``: the marks of the side to move, above
    all marks as a number of ones, which the next power of two tells apart::

        column   O X X   (from below; X to move)    taken 111, me 110    sum 111 + 110 = 1101
    """
    me = taken = ply = 0
    for column in range(7):
        part = total >> 7 * column & 0b1111111
        height = (part + 1).bit_length() - 1
        bar = (1 << height) - 1
        me |= part - bar << 7 * column
        taken |= bar << 7 * column
        ply += height
    return Board(me, taken, ply)


def prove_entry(entries: Mapping[int, int], key: int, search: ShortSearch) -> None:
    """Prove that X wins with the move of this entry, if it wins from the entries with more marks. Raises
    :class:`~noughts.engine.book.NotProvedError`."""
    board = board_of_sum(key)
    found = book_move(entries, board)
    if found is None or board.sum != key or not board.move(found.column):
        raise NotProvedError(f"{key} is no position with X to move, or its move cannot be made")
    if board.wins(found.column):
        return
    after = board.after(found.column)
    for column in after.columns():
        if after.wins(column):
            raise NotProvedError(f"{key}: O wins after the move of the book")
        reply = after.after(column)
        if book_move(entries, reply) is None and not search.wins(reply):
            raise NotProvedError(f"{key}: no entry and no short proof after O moves to column {column}")


def prove_book(entries: Mapping[int, int], show: Callable[[int, int], None]) -> int:
    """Prove every entry, and so that X wins from the empty board; the nodes that it took. Raises
    :class:`~noughts.engine.book.NotProvedError`. ``show`` is told the entries done and their number."""
    if book_move(entries, Board(0, 0, 0)) is None:
        raise NotProvedError("the empty board is not in the book")
    search = ShortSearch()
    for done, key in enumerate(entries):
        show(done, len(entries))
        prove_entry(entries, key, search)
    show(len(entries), len(entries))
    return search.nodes
