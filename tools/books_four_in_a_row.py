"""Makes the book of four in a row: what X moves against everything that O may try, until short searches win.

From the empty board, with d6 as the first move: where no short search proves the win, a long one with a large table
does, and of the moves that it knows to win the book takes the one that leaves the fewest replies to further entries.

Measured with the compiled search (``make fast``) on one core: 827 s of processor time, 938 million nodes, 790 MiB, 13,340
bytes. Plain Python searches about 180,000 nodes a second here: an hour and a half.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from typing import Final

from noughts.engine import book
from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row import search as gravity
from noughts.engine.four_in_a_row.book import Board, BookMove, ShortSearch, book_entry, book_move
from noughts.engine.four_in_a_row.search import GravitySearch

PATH: Final = Path(__file__).parents[1] / "server" / "noughts" / "engine" / "books" / "four-in-a-row.book"
TABLE_SIZE: Final = 16_777_213
FIRST_COLUMN: Final = 3
"""The centre: the one opening that wins."""
REPLIES: Final = (0, 6, 1, 5, 2, 4, 3)
"""The edges first: their proofs are short, and fill the table for the centre's."""
FEW_MARKS: Final = 6
"""With fewer marks no short search proves anything."""
ENDLESS: Final = 1 << 60


class Maker:
    """The entries so far, and the searches that find them."""

    def __init__(self) -> None:
        self.entries: dict[int, int] = {}
        self._short = ShortSearch()
        self._long = GravitySearch(TABLE_SIZE)
        self._ends: dict[int, bool] = {}
        self._told = 0.0

    def nodes(self) -> int:
        """Nodes searched so far."""
        return self._short.nodes + self._long.nodes

    def cover(self, board: Board) -> None:
        """Enter ``board``, with X to move, and all that O can reach from it, unless a short search wins there."""
        board = board.canonical()
        if book_move(self.entries, board) is not None or self._is_short(board):
            return
        column = self._move(board)
        key, value = book_entry(board, BookMove(column, None))
        self.entries[key] = value
        after = board.after(column)
        for reply in REPLIES:
            if after.move(reply):
                self.cover(after.after(reply))
        self.tell(False)

    def _is_short(self, board: Board) -> bool:
        if any(board.wins(column) for column in board.columns()):
            return True
        if board.ply < FEW_MARKS:
            return False
        key = board.canonical().sum
        if key not in self._ends:
            self._ends[key] = self._short.wins(board) is True
        return self._ends[key]

    def _move(self, board: Board) -> int:
        """A winning column, chosen for a small book."""
        if board.ply == 0:
            return FIRST_COLUMN
        self._long.allow(ENDLESS, None)
        if not self._long.score_reaches(*board, 1):
            raise book.NotProvedError(f"X does not win {board}")
        winning = [column for column in board.columns() if self._is_known_to_win(board, column)]
        open_replies = {}
        for column in winning:
            after = board.after(column)
            replies = [after.after(reply) for reply in after.columns()]
            open_replies[column] = sum(
                book_move(self.entries, reply) is None and not self._is_short(reply) for reply in replies
            )
            if not open_replies[column]:
                break
        return min(open_replies, key=lambda column: open_replies[column])

    def _is_known_to_win(self, board: Board, column: int) -> bool:
        """Whether the table tells, or a search of moderate length."""
        after = board.after(column)
        known = self._long.knows(after.me, after.taken, 0)
        if known is None:
            self._long.allow(3_000 if board.ply < 8 else 20_000, None)
            try:
                known = self._long.score_reaches(*after, 0)
            except OutOfTimeError:
                return False
        return not known

    def tell(self, last: bool) -> None:
        """Show how far it is, once a second."""
        if last or time.process_time() > self._told + 1:
            self._told = time.process_time()
            sys.stdout.write(
                f"\rfour-in-a-row: {len(self.entries)} entries, {self.nodes() // 1_000_000} million nodes, "
                f"{self._told:.0f} s"
            )
            sys.stdout.flush()


def main() -> None:
    compiled = not gravity.__file__.endswith(".py")
    sys.stdout.write(f"four-in-a-row: the search is {'compiled' if compiled else 'plain Python: make fast helps'}\n")
    maker = Maker()
    maker.cover(Board(0, 0, 0))
    maker.tell(True)
    data = book.pack("four-in-a-row", maker.entries)
    PATH.write_bytes(data)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"\nfour-in-a-row: {len(data)} bytes, {memory} MiB, SHA-256 {book.unpack(data).digest}\n")


if __name__ == "__main__":
    main()
