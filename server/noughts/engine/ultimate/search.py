"""The search of ultimate as a compiled program, ``compiled/ultimate.c``, whose head explains states and estimates."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.program import Program, load

WIN: Final = 1_000_000
PROVED: Final = WIN - 100
FREE: Final = 9
"""The forced board of a side that may choose any open one."""
TABLE_ENTRIES: Final = 100_000
"""For each forced board: 50 MiB in all. A search uses as much as it needs."""
NODES_PER_READING: Final = 1_024
"""Nodes between two readings of a clock of real time."""
NODES_PER_COUNTED_READING: Final = 32
"""Nodes between two readings of a clock that counts them, as those of the weaker levels do."""
NO_READINGS: Final = 0
_STOPPED: Final = 2 * WIN + 1
_MOVE: Final = struct.Struct("<d3H2B")


class Move(NamedTuple):
    """A move at the root: the estimate of the position after it, the small board and its state then, and what follows.

    ``won`` and ``closed`` are masks of small boards: those that the side has won then, and all that are decided. ``forced``
    is where the other side must play, or ``FREE``. A move that wins the game has ``WIN`` as its estimate.
    """

    estimate: float
    board: int
    state: int
    forced: int
    won: int
    closed: int


class Search:
    """The program with its tables. It searches from one position at a time."""

    def __init__(
        self, table_entries: int = TABLE_ENTRIES, nodes_per_counted_reading: int = NODES_PER_COUNTED_READING
    ) -> None:
        """Make the tables. Raise MemoryError, or ProgramError where the program does not run."""
        self.boards = [0] * 9
        """The states of the small boards."""
        self.nodes = 0
        """Nodes so far, without those of the last ply."""
        self.estimates = 0
        """Positions whose value was estimated so far. A value is proved if its search estimated none."""
        self.budget: Budget | None = None
        """None if nothing may stop the search."""
        self._nodes_per_counted_reading = nodes_per_counted_reading
        self._program: Final[Program] = load("ultimate")
        self._search = self._program.function("search")
        self._begin = self._program.function("begin")
        self._write_moves = self._program.function("write_root_moves")
        self._boards = self._program.function("boards_address")()
        self._counters = self._program.function("counters_address")()
        self._moves = self._program.function("moves_address")()
        if not self._program.function("make_tables")(table_entries):
            raise MemoryError(f"no memory for tables of {table_entries} entries")
        self._program.stop_when(lambda: self.budget is not None and self.budget.left() <= 0.0)

    def begin(self) -> None:
        """Begin a search with empty tables."""
        self.boards = [0] * 9
        self.nodes = self.estimates = 0
        self.budget = None
        self._begin()

    def moves(self, side: int, forced: int, won: tuple[int, int], closed: int) -> list[Move]:
        """Return every move of the position in ``boards``, best first. One that wins the game is returned alone."""
        self._write_boards()
        data = self._program.read(self._moves, _MOVE.size * self._write_moves(side, forced, *won, closed))
        moves = [
            Move(estimate, board, state, forced, won, closed)
            for estimate, state, won, closed, board, forced in _MOVE.iter_unpack(data)
        ]
        return sorted(moves, reverse=True)

    def value(
        self, side: int, forced: int, depth: int, alpha: int, beta: int, ply: int, won: tuple[int, int], closed: int
    ) -> int:
        """Return the value of the position in ``boards`` for the side to move, fail-soft. Raise OutOfTimeError.

        A value beyond ``PROVED`` is a proved win or loss: ``WIN`` minus the ply of the last move.
        """
        self._write_boards()
        value = self._search(side, forced, depth, alpha, beta, ply, *won, closed, self._nodes_per_reading())
        self.nodes, estimates = struct.unpack("<2q", self._program.read(self._counters, 16))
        self.estimates += estimates
        if value == _STOPPED:
            raise OutOfTimeError
        return value

    def _write_boards(self) -> None:
        self._program.write(self._boards, struct.pack("<9H", *self.boards))

    def _nodes_per_reading(self) -> int:
        if self.budget is None:
            return NO_READINGS
        return self._nodes_per_counted_reading if self.budget.counts_readings else NODES_PER_READING
