"""The compiled searches of the boards that are won by threats: for wins by fours, for wins by threes, and alpha-beta.

The sources are ``compiled/threats.c``, ``shapes.c`` (five in a line on a plane) and ``patterns.c`` (all other boards). One
program holds the tables of one search at a time. A search that was not the latest to run begins again with empty tables.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.program import Program, load
from noughts.engine.threats.alpha_beta import AlphaBeta
from noughts.engine.threats.lines import Board, board_of
from noughts.rules.variant import Variant

UNLIMITED: Final = 999
"""A depth that no board reaches."""
FOUR_LIMIT: Final = 300
"""Nodes of one search for a win by fours within a search for threes."""
NODES_PER_READING: Final = 1_024
"""Fours between two readings of a clock of real time: below 2 ms. Python reads it between two searches."""
EXPANSIONS_PER_READING: Final = 64
NODES_PER_COUNTED_READING: Final = 32
"""Between two readings of a clock that counts them, as those of the weaker levels do."""
EXPANSIONS_PER_COUNTED_READING: Final = 16
MAX_CELLS: Final = 255
MAX_LINES: Final = 1_200
LINE_LENGTHS: Final = (4, 5, 6)
"""The boards for which ``compiled/line_board.h`` has room."""
_SHAPE_LINE: Final = 5
_NO_CELL: Final = 255
_MARKS_BYTES: Final = 32


class Scope(IntEnum):
    """The moves that a search for wins by threes tries: see ``compiled/threats.c``."""

    LINKED = 0
    FULL = 1
    WIDE = 2


class Searches:
    """A maker of searches for one variant."""

    def __init__(self, variant: Variant, load: Callable[[str], Program] = load) -> None:
        """Describe the board to the programs. Raise ProgramError where they do not run, ValueError for too large a board."""
        self.board: Final = board_of(variant)
        if not (variant.cells <= MAX_CELLS and len(self.board.lines) <= MAX_LINES and variant.line in LINE_LENGTHS):
            raise ValueError(f"the programs have no room for the board of {variant.key}")
        by_shapes = variant.layers == 1 and variant.line == _SHAPE_LINE
        self._threats = load("threats")
        self._alpha_beta = load("shapes" if by_shapes else "patterns")
        describe(self._threats, self.board)
        if by_shapes:
            self._alpha_beta.function("describe")(variant.columns, variant.cells // variant.columns)
        else:
            describe(self._alpha_beta, self.board)
        self._begin = self._threats.function("begin")
        self._by_fours = self._threats.function("solve_by_fours")
        self._by_threes = self._threats.function("solve_by_threes")
        self._words = self._threats.function("words_address")()
        self._result = self._threats.function("result_address")()
        self._latest: object = None
        self._budget: Budget | None = None
        self._threats.stop_when(self._is_spent)

    def fours(self, budget: Budget) -> FourSearch:
        """Return a search for wins by fours."""
        return FourSearch(self, budget)

    def threes(self, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL) -> ThreeSearch:
        """Return a search for wins by threes."""
        return ThreeSearch(self, budget, four_limit, scope)

    def alpha_beta(self, x: int, o: int, budget: Budget) -> AlphaBeta:
        """Return an alpha-beta search of one position. It ends the one before."""
        return AlphaBeta(self._alpha_beta, self.board.size, x, o, budget)

    def begin(self, search: object, budget: Budget, four_limit: int, scope: Scope) -> None:
        """Give the program to a search, with empty tables if it was not the latest one. Raise MemoryError."""
        self._budget = budget
        if self._latest is search:
            return
        nodes, expansions = NODES_PER_READING, EXPANSIONS_PER_READING
        if budget.counts_readings:
            nodes, expansions = NODES_PER_COUNTED_READING, EXPANSIONS_PER_COUNTED_READING
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
        cells = self._threats.read(self._result, 2 * length)
        win = [(1 << cells[i], 1 << cells[i + 1]) for i in range(0, 2 * length - 2, 2)]
        last_replies = int.from_bytes(self._threats.read(self._words, _MARKS_BYTES), "little")
        return [*win, (1 << cells[2 * length - 2], last_replies)]

    def solve_by_threes(self, own: int, other: int, limit: int) -> list[int]:
        """Return the moves (bits) proved to win by threes."""
        self._set_position(own, other)
        count = self._by_threes(limit)
        return [1 << cell for cell in self._threats.read(self._result, count)] if count else []

    def counters(self) -> tuple[int, int]:
        """Return the fours searched and the positions expanded since :meth:`begin` emptied the tables."""
        nodes, expanded = struct.unpack("<QQ", self._threats.read(self._words + _MARKS_BYTES, 16))
        return nodes, expanded

    def _set_position(self, own: int, other: int) -> None:
        marks = own.to_bytes(_MARKS_BYTES, "little") + other.to_bytes(_MARKS_BYTES, "little")
        self._threats.write(self._words, marks)

    def _is_spent(self) -> bool:
        return self._budget is not None and self._budget.left() <= 0.0


class FourSearch:
    """A search for wins by continuous fours of either side.

    Every move makes a four with one forced reply, so a win is a single line of play:
    ``(m1, r1), (m2, r2), …, (mk, completions)``. Its last move can complete a line in two places or more, and it wins
    in ``2k + 1`` plies.
    """

    def __init__(self, searches: Searches, budget: Budget) -> None:
        self.board: Final = searches.board
        self.nodes = 0
        self._searches = searches
        self._budget = budget

    def solve(
        self, own: int, other: int, pairs: list[int], blocks: int, depth: int = UNLIMITED, limit: int = 1 << 60
    ) -> list[tuple[int, int]] | None:
        """Return a shortest win of ``own`` by at most ``depth`` fours, or None if there is none.

        ``own`` is to move and cannot complete a line at once. ``pairs`` are all of its pairs: without any there is no win.
        ``blocks`` are the cells that would complete a line of the opponent. Raise OutOfTimeError at the deadline, or after
        ``limit`` nodes.
        """
        if blocks & (blocks - 1) or not pairs:
            return None
        # A defence makes thousands of searches that are too short to read the clock themselves. The first one may find a
        # short win with no time at all.
        if self.nodes and not self._budget.counts_readings:
            self._budget.check()
        self._searches.begin(self, self._budget, FOUR_LIMIT, Scope.FULL)
        try:
            return self._searches.solve_by_fours(own, other, blocks, depth, limit)
        finally:
            self.nodes, _ = self._searches.counters()


class ThreeSearch:
    """A search for wins of one side, the attacker, by threes and fours. Its tree is kept between calls."""

    def __init__(self, searches: Searches, budget: Budget, four_limit: int, scope: Scope) -> None:
        self.expanded = 0
        self._searches = searches
        self._budget = budget
        self._four_limit = four_limit
        self._scope = scope

    def solve(self, own: int, other: int, limit: int = 60_000) -> list[int]:
        """Return the moves (bits) proved to win for ``own``; none if ``limit`` positions or the budget prove no win.

        ``own`` is the attacker. It is to move and cannot complete a line at once.
        """
        self._searches.begin(self, self._budget, self._four_limit, self._scope)
        moves = self._searches.solve_by_threes(own, other, limit)
        _, self.expanded = self._searches.counters()
        return moves


def describe(program: Program, board: Board) -> None:
    """Tell a program the lines of a board, in their order."""
    numbers = [board.lines[0].bit_count(), board.size, len(board.lines)]
    for line in board.lines:
        numbers += [cell for cell in range(board.size) if line >> cell & 1]
    program.write(program.function("description_address")(), struct.pack(f"<{len(numbers)}H", *numbers))
    program.function("describe")()
