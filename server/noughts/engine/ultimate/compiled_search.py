"""Ultimate's alpha-beta as a compiled program: the same moves, values and nodes, many times as fast.

The program searches the tree. The root, which calls it once for each move, is the same as in plain Python.
"""

from __future__ import annotations

import struct
from typing import Final

from noughts.engine.budget import OutOfTimeError
from noughts.engine.compiled.loading import Program
from noughts.engine.ultimate.search import NODES_PER_LOOK, WIN, Search
from noughts.engine.ultimate.tables import Tables

PROGRAM: Final = "ultimate"
TABLE_LIMIT: Final = 100_000
"""Table entries for each forced board: 50 MiB in all, of which a search uses what it needs."""
TIMED_NODES_PER_LOOK: Final = 1_024
"""Nodes between two looks at a clock of real time."""
NO_LOOKS: Final = 0
CLASSES: Final = 256
"""The program has room for this many classes of states."""
_STOPPED: Final = 2 * WIN + 1


class SearchProgram:
    """The program with ultimate's tables. It holds one search at a time."""

    def __init__(self, program: Program, tables: Tables, table_limit: int = TABLE_LIMIT) -> None:
        """Make tables of ``table_limit`` entries for each forced board. Raise MemoryError."""
        self.tables: Final = tables
        self.latest: object = None
        """The search that the program holds."""
        self._program = program
        self._begin = program.function("begin")
        self._search = program.function("search")
        self._boards = program.function("boards_address")()
        self._counters = program.function("counters_address")()
        if not program.function("make_tables")(table_limit):
            raise MemoryError(f"no memory for tables of {table_limit} entries")
        numbers = [number for state_class in tables.classes for number in state_class]
        numbers += [0.0] * (6 * (CLASSES - len(tables.classes)))
        content = struct.pack(f"<{len(numbers)}d", *numbers) + bytes(tables.class_of) + bytes(tables.decisions)
        program.write(program.function("tables_address")(), content)

    def begin(self, search: CompiledSearch) -> None:
        """Give the program to a search, with empty tables."""
        self.latest = search
        self._begin()
        self._program.stop_when(search.is_spent)

    def search(self, boards: list[int], *arguments: int) -> int:
        """Return the value of a position. Raise OutOfTimeError if its search was stopped."""
        self._program.write(self._boards, struct.pack("<9H", *boards))
        value = self._search(*arguments)
        if value == _STOPPED:
            raise OutOfTimeError
        return value

    def counters(self) -> tuple[int, int]:
        """Return the nodes since the search began, and the estimates of its latest position."""
        nodes, estimates = struct.unpack("<2q", self._program.read(self._counters, 16))
        return nodes, estimates


class CompiledSearch(Search):
    """The search with its tree in the program. One that was not the latest to run begins again with empty tables."""

    def __init__(self, program: SearchProgram, nodes_per_look: int = NODES_PER_LOOK) -> None:
        super().__init__(program.tables, nodes_per_look)
        self._program = program

    def search(
        self,
        side: int,
        forced: int,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        key: int,
        class_key: int,
        won_x: int,
        won_o: int,
        closed: int,
    ) -> int:
        """Return the value of the position in ``boards``. Raise OutOfTimeError.

        The last ply alone takes less time here than a call of the program does.
        """
        if depth == 1:
            return self.last_ply(side, forced, beta, ply, class_key, won_x, won_o, closed)
        program = self._program
        if program.latest is not self:
            program.begin(self)
        try:
            return program.search(
                self.boards, side, forced, depth, alpha, beta, ply, won_x, won_o, closed, self._looks()
            )
        finally:
            self.nodes, estimates = program.counters()
            self.estimates += estimates

    def is_spent(self) -> bool:
        """Return whether the search must stop."""
        return self.budget is not None and self.budget.left() <= 0.0

    def _looks(self) -> int:
        """Return the nodes between two looks at the clock."""
        if self.budget is None:
            return NO_LOOKS
        return self.nodes_per_look if self.budget.counts_readings else TIMED_NODES_PER_LOOK
