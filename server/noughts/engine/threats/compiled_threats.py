"""The searches for wins by fours and by threes as a compiled program: the same results, many times as fast.

One program holds the tables of one search at a time. A search that was not the latest to run begins again with empty tables.
"""

from __future__ import annotations

import struct
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.loading import Program
from noughts.engine.threats.fours import UNLIMITED, Board
from noughts.engine.threats.threes import FOUR_LIMIT, Scope

PROGRAM: Final = "threats"
MAX_CELLS: Final = 255
MAX_LINES: Final = 1_200
MAX_LENGTH: Final = 6
NODES_PER_LOOK: Final = 1_024
"""Fours between two looks of the program at a clock of real time: below 2 ms. Python reads it between two searches."""
EXPANSIONS_PER_LOOK: Final = 64
COUNTED_NODES_PER_LOOK: Final = 32
COUNTED_EXPANSIONS_PER_LOOK: Final = 16
"""As the searches in plain Python: a clock that counts its readings is read as often."""
_NO_CELL: Final = 255
MARKS_BYTES: Final = 32


def fits(board: Board) -> bool:
    """Return whether the program has room for the board."""
    length = board.lines[0].bit_count()
    return board.size <= MAX_CELLS and len(board.lines) <= MAX_LINES and 4 <= length <= MAX_LENGTH


def describe(program: Program, board: Board) -> None:
    """Tell a program the lines of a board, in their order."""
    numbers = [board.lines[0].bit_count(), board.size, len(board.lines)]
    for line in board.lines:
        numbers += [cell for cell in range(board.size) if line >> cell & 1]
    program.write(program.function("description_address")(), struct.pack(f"<{len(numbers)}H", *numbers))
    program.function("describe")()


class CompiledSearches:
    """The program with its description of one board, and the searches that share it."""

    def __init__(self, program: Program, board: Board) -> None:
        self.board: Final = board
        self._program = program
        self._begin = program.function("begin")
        self._by_fours = program.function("solve_by_fours")
        self._by_threes = program.function("solve_by_threes")
        self._words = program.function("words_address")()
        self._result = program.function("result_address")()
        self._latest: object = None
        self._budget: Budget | None = None
        describe(program, board)
        program.stop_when(self._is_spent)

    def fours(self, budget: Budget) -> CompiledFourSearch:
        """Return a search for wins by fours."""
        return CompiledFourSearch(self, budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> CompiledThreeSearch:
        """Return a search for wins by threes."""
        return CompiledThreeSearch(self, budget, four_limit, scope)

    def begin(self, search: object, budget: Budget, four_limit: int, scope: Scope) -> None:
        """Give the program to a search, with empty tables if it was not the latest one. Raise MemoryError."""
        self._budget = budget
        if self._latest is search:
            return
        nodes, expansions = NODES_PER_LOOK, EXPANSIONS_PER_LOOK
        if budget.counts_readings:
            nodes, expansions = COUNTED_NODES_PER_LOOK, COUNTED_EXPANSIONS_PER_LOOK
        if not self._begin(nodes, expansions, scope, four_limit):
            raise MemoryError("no memory for the tables of a threat search")
        self._latest = search

    def solve_by_fours(self, own: int, other: int, blocks: int, depth: int, limit: int) -> list[tuple[int, int]] | None:
        """Return a shortest win by fours, or None. Raise OutOfTimeError."""
        self._set_position(own, other)
        length = self._by_fours(blocks.bit_length() - 1 if blocks else _NO_CELL, depth, limit)
        if length < 0:
            raise OutOfTimeError
        if not length:
            return None
        cells = self._program.read(self._result, 2 * length)
        win = [(1 << cells[i], 1 << cells[i + 1]) for i in range(0, 2 * length - 2, 2)]
        last_replies = int.from_bytes(self._program.read(self._words, MARKS_BYTES), "little")
        return [*win, (1 << cells[2 * length - 2], last_replies)]

    def solve_by_threes(self, own: int, other: int, limit: int) -> list[int]:
        """Return the moves (bits) proved to win by threes."""
        self._set_position(own, other)
        count = self._by_threes(limit)
        return [1 << cell for cell in self._program.read(self._result, count)] if count else []

    def counters(self) -> tuple[int, int]:
        """Return the fours searched and the positions expanded since :meth:`begin` emptied the tables."""
        nodes, expanded = struct.unpack("<QQ", self._program.read(self._words + MARKS_BYTES, 16))
        return nodes, expanded

    def _set_position(self, own: int, other: int) -> None:
        self._program.write(self._words, own.to_bytes(MARKS_BYTES, "little") + other.to_bytes(MARKS_BYTES, "little"))

    def _is_spent(self) -> bool:
        return self._budget is not None and self._budget.left() <= 0.0


class CompiledFourSearch:
    """The interface of :class:`~noughts.engine.threats.fours.FourSearch`."""

    def __init__(self, searches: CompiledSearches, budget: Budget) -> None:
        self._searches = searches
        self._budget = budget
        self.nodes = 0

    @property
    def board(self) -> Board:
        """The board of the search."""
        return self._searches.board

    def solve(
        self, own: int, other: int, pairs: list[int], blocks: int, depth: int = UNLIMITED, limit: int = 1 << 60
    ) -> list[tuple[int, int]] | None:
        """Return a shortest win of ``own`` by at most ``depth`` fours, or None if there is none.

        ``pairs`` are all of the attacker's. The program finds them itself. Raise OutOfTimeError.
        """
        if blocks & (blocks - 1) or not pairs:
            return None
        # A defence makes thousands of searches that are too short to read the clock themselves. The first one may find a
        # short win with no time at all, as in plain Python.
        if self.nodes and not self._budget.counts_readings:
            self._budget.check()
        self._searches.begin(self, self._budget, FOUR_LIMIT, Scope.FULL)
        try:
            return self._searches.solve_by_fours(own, other, blocks, depth, limit)
        finally:
            self.nodes, _ = self._searches.counters()


class CompiledThreeSearch:
    """The interface of :class:`~noughts.engine.threats.threes.ThreeSearch`."""

    def __init__(self, searches: CompiledSearches, budget: Budget, four_limit: int, scope: Scope) -> None:
        self._searches = searches
        self._budget = budget
        self._four_limit = four_limit
        self._scope = scope
        self.expanded = 0

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        """Return the moves (bits) proved to win for ``own``; none if ``limit`` positions or the budget prove no win."""
        self._searches.begin(self, self._budget, self._four_limit, self._scope)
        moves = self._searches.solve_by_threes(own, other, limit)
        _, self.expanded = self._searches.counters()
        return moves
