"""Make the book of four in a row: X's moves against every reply of O, until short searches win.

The strategy starts from the empty board with d6. Where no short search proves the win, a long search with a large table
does. Of the moves that are then proved to win, the book takes the one with the fewest replies that need an entry.

It takes 118 million nodes and 53 s of processor time, and writes 2,697 bytes.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Final

from noughts.engine import book
from noughts.engine.budget import OutOfTimeError
from noughts.engine.four_in_a_row.board import Board
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from tools.book_file import pack
from tools.prove import NotProvedError
from tools.prove.strategy import FILE, book_move

TABLE_SIZE: Final = 16_777_213
FIRST_COLUMN: Final = 3
"""The centre: the only opening that wins."""
REPLIES: Final = (0, 6, 1, 5, 2, 4, 3)
"""The edges first: their proofs are short, and fill the table for the centre's."""
SHORT_NODES: Final = 20_000
"""Of a short search, which starts with an empty table."""
SHORT_TABLE: Final = 65_521
FEW_MARKS: Final = 6
"""With fewer marks no short search proves anything."""
UNLIMITED_NODES: Final = 1 << 60


class Maker:
    """The entries so far, and the searches that find them."""

    def __init__(self) -> None:
        self.entries: dict[int, int] = {}
        self._short = ScoreSearch(SHORT_TABLE)
        self.long = ScoreSearch(TABLE_SIZE)
        self._short_wins: dict[int, bool] = {}
        self._shown_at = 0.0

    def nodes(self) -> int:
        """Return the nodes searched so far."""
        return self._short.nodes + self.long.nodes

    def cover(self, board: Board) -> None:
        """Enter ``board``, with X to move, and every position that O can reach from it, unless a short search wins."""
        board = board.canonical()
        if book_move(self.entries, board) is not None or self._is_short(board):
            return
        column = self._move(board)
        self.entries[board.sum] = column
        after = board.after(column)
        for reply in REPLIES:
            if after.move(reply):
                self.cover(after.after(reply))
        self.show(False)

    def _is_short(self, board: Board) -> bool:
        if any(board.wins(column) for column in board.columns()):
            return True
        if board.ply < FEW_MARKS:
            return False
        key = board.canonical().sum
        if key not in self._short_wins:
            self._short_wins[key] = self._wins_soon(board.canonical())
        return self._short_wins[key]

    def _wins_soon(self, board: Board) -> bool:
        self._short.clear()
        self._short.allow(SHORT_NODES, None)
        try:
            return self._short.score_reaches(*board, 1)
        except OutOfTimeError:
            return False

    def _move(self, board: Board) -> int:
        """Return the winning column that keeps the book small."""
        if board.ply == 0:
            return FIRST_COLUMN
        self.long.allow(UNLIMITED_NODES, None)
        if not self.long.score_reaches(*board, 1):
            raise NotProvedError(f"X does not win {board}")
        winning = [column for column in board.columns() if self._wins(board, column)]
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

    def _wins(self, board: Board, column: int) -> bool:
        """Return whether a column is proved to win, by the table or by a search of moderate length."""
        after = board.after(column)
        answer = self.long.stored_answer(after.me, after.occupied, 0)
        if answer is None:
            self.long.allow(3_000 if board.ply < 8 else 20_000, None)
            try:
                answer = self.long.score_reaches(*after, 0)
            except OutOfTimeError:
                return False
        return not answer

    def show(self, last: bool) -> None:
        """Print the progress, at most once a second unless it is the ``last`` time."""
        if last or time.process_time() > self._shown_at + 1:
            self._shown_at = time.process_time()
            sys.stdout.write(
                f"\rfour-in-a-row: {len(self.entries)} entries, {self.nodes() // 1_000_000} million nodes, "
                f"{self._shown_at:.0f} s"
            )
            sys.stdout.flush()


def main() -> None:
    """Write the book and print its cost."""
    maker = Maker()
    maker.cover(Board(0, 0, 0))
    maker.show(True)
    data = pack("four-in-a-row", maker.entries)
    FILE.write_bytes(data)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"\nfour-in-a-row: {len(data)} bytes, {memory} MiB, SHA-256 {book.unpack(data).digest}\n")


if __name__ == "__main__":
    main()
