"""A slow, plain referee of wins on boards on which filling a row wins, for the puzzles and tests of gomoku and Qubic.

It shares no code with the engine or the rules. It counts the marks in every row, and has two sets for each side: the
rows that lack one cell and the rows that lack two. A claimed win is a *strategy*, a function from a position to the
attacker's move. The referee tries every legal answer to each of its moves, so a strategy that it accepts is proved. It
stops only where the attacker has a win by continuous fours, which it finds for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

Strategy = Callable[[frozenset[int], frozenset[int]], int | None]


@cache
def rows_of_board(columns: int, rows: int, layers: int, length: int) -> list[tuple[int, ...]]:
    """Return the cells of every straight row of ``length``, by steps of -1, 0 or 1 along each side."""
    rows_found = set()
    steps = [(dx, dy, dz) for dx in (-1, 0, 1) for dy in (-1, 0, 1) for dz in (-1, 0, 1) if (dx, dy, dz) != (0, 0, 0)]
    for x in range(columns):
        for y in range(rows):
            for z in range(layers):
                for dx, dy, dz in steps:
                    places = [(x + i * dx, y + i * dy, z + i * dz) for i in range(length)]
                    if all(0 <= a < columns and 0 <= b < rows and 0 <= c < layers for a, b, c in places):
                        rows_found.add(tuple(sorted(a + columns * (b + rows * c) for a, b, c in places)))
    return sorted(rows_found)


@cache
def rows_by_cell(columns: int, rows: int, layers: int, length: int) -> list[list[int]]:
    """Return for each cell the numbers of the rows through it."""
    by_cell: list[list[int]] = [[] for _ in range(columns * rows * layers)]
    for number, row in enumerate(rows_of_board(columns, rows, layers, length)):
        for cell in row:
            by_cell[cell].append(number)
    return by_cell


class Refuted(Exception):
    """The strategy does not win: ``moves`` is a play that refutes it."""

    def __init__(self, reason: str, moves: list[int]) -> None:
        super().__init__(f"{reason} after {moves}")
        self.moves = moves


class Referee:
    """A board with marks of side 0 (the attacker) and side 1 (the defender)."""

    def __init__(
        self,
        attacker: Collection[int],
        defender: Collection[int],
        shape: tuple[int, int, int] = (15, 15, 1),
        length: int = 5,
    ) -> None:
        self.length = length
        self.rows = rows_of_board(*shape, length)
        self.rows_of = rows_by_cell(*shape, length)
        self.marks: list[int | None] = [None] * len(self.rows_of)
        self.count = [[0] * len(self.rows), [0] * len(self.rows)]
        self.lacking: list[dict[int, set[int]]] = [{1: set(), 2: set()}, {1: set(), 2: set()}]
        self.moves: list[int] = []
        self.sets = [0, 0]  # the marks of each side as one number, a key for positions
        self.failed: dict[tuple[int, int, int], int] = {}  # position and side -> fours that do not win
        self.positions = 0
        for cell in attacker:
            self.make(cell, 0)
        for cell in defender:
            self.make(cell, 1)
        self.moves.clear()

    def _sort(self, row: int) -> None:
        for side in (0, 1):
            rival = self.count[1 - side][row]
            lack = self.length - self.count[side][row]
            for number, rows in self.lacking[side].items():
                if not rival and lack == number:
                    rows.add(row)
                else:
                    rows.discard(row)

    def make(self, cell: int, side: int) -> None:
        """Fill a cell."""
        assert self.marks[cell] is None
        self.marks[cell] = side
        self.sets[side] ^= 1 << cell
        self.moves.append(cell)
        for row in self.rows_of[cell]:
            self.count[side][row] += 1
            self._sort(row)

    def undo(self, cell: int) -> None:
        """Clear a cell again."""
        side = self.marks[cell]
        assert side is not None
        self.marks[cell] = None
        self.sets[side] ^= 1 << cell
        if self.moves:
            self.moves.pop()
        for row in self.rows_of[cell]:
            self.count[side][row] -= 1
            self._sort(row)

    def fives(self, side: int) -> set[int]:
        """Return the empty cells that complete a row of ``side``."""
        return {cell for row in self.lacking[side][1] for cell in self.rows[row] if self.marks[cell] is None}

    def fours(self, side: int) -> set[int]:
        """Return the empty cells that make a four for ``side``."""
        return {cell for row in self.lacking[side][2] for cell in self.rows[row] if self.marks[cell] is None}

    def by_fours(self, depth: int, side: int = 0) -> list[int] | None:
        """Return the moves and answers of a win of ``side``, to move, by at most ``depth`` fours, or None."""
        if self.fives(side):
            return []
        blocks = self.fives(1 - side)
        position = (self.sets[0], self.sets[1], side)
        if len(blocks) > 1 or depth <= self.failed.get(position, 0):
            return None
        for cell in sorted(self.fours(side)):
            if blocks and cell not in blocks:
                continue
            self.make(cell, side)
            answers = self.fives(side)
            win: list[int] | None = None
            if len(answers) > 1:
                win = [cell]
            else:
                answer = next(iter(answers))
                self.make(answer, 1 - side)
                rest = self.by_fours(depth - 1, side)
                if rest is not None:
                    win = [cell, answer, *rest]
                self.undo(answer)
            self.undo(cell)
            if win is not None:
                return win
        self.failed[position] = depth
        return None

    def _replays(self, win: list[int]) -> bool:
        """Return whether an earlier win by fours wins here too. This is quicker than a new search."""
        filled = []
        try:
            if self.fives(1):
                return False
            for number, cell in enumerate(win):
                if self.marks[cell] is not None:
                    return False
                if number % 2:
                    if self.fives(0) != {cell}:
                        return len(self.fives(0)) > 1
                elif self.fives(1) - {cell}:
                    return False
                self.make(cell, number % 2)
                filled.append(cell)
            return len(self.fives(0)) > 1
        finally:
            for cell in reversed(filled):
                self.undo(cell)

    def holds(self, cell: int, fours: int = 30, deep: int = 3) -> bool:
        """Return whether ``cell`` of the defender (side 1), to move, leaves the attacker without a win by fours.

        A four of the defender does so if some move after its forced answer does.
        """
        self.make(cell, 1)
        try:
            answers = self.fives(1)
            if self.fives(0):
                return False
            if len(answers) > 1:
                return True
            if not answers:
                return self.by_fours(fours) is None
            if deep == 0:
                return False
            answer = next(iter(answers))
            self.make(answer, 0)
            try:
                return any(self.holds(c, fours, deep - 1) for c, mark in enumerate(self.marks) if mark is None)
            finally:
                self.undo(answer)
        finally:
            self.undo(cell)

    def check(self, strategy: Strategy, threes: int = 0, most: int = 30, fours: int = 30) -> int:
        """Check that ``strategy`` wins for the attacker, to move, against every answer. Raise :class:`Refuted`.

        Return the number of threes in its longest line: of moves that are neither fours nor followed by fours alone.
        """
        self.positions += 1
        if self.by_fours(fours) is not None:
            return threes
        if threes >= most:
            raise Refuted("too long", list(self.moves))
        blocks = self.fives(1)
        attacker = frozenset(cell for cell, side in enumerate(self.marks) if side == 0)
        defender = frozenset(cell for cell, side in enumerate(self.marks) if side == 1)
        move = strategy(attacker, defender)
        if move is None or self.marks[move] is not None or (blocks and blocks != {move}):
            raise Refuted("no move", list(self.moves))
        longest = threes
        self.make(move, 0)
        fives = self.fives(0)
        if self.fives(1):
            raise Refuted("five in reply", list(self.moves))
        if len(fives) == 1:
            answer = next(iter(fives))
            self.make(answer, 1)
            longest = self.check(strategy, threes, most, fours)
            self.undo(answer)
        elif not fives:
            wins_by_fours: list[list[int]] = []
            for answer, mark in enumerate(self.marks):
                if mark is not None:
                    continue
                self.make(answer, 1)
                if not any(self._replays(win) for win in wins_by_fours):
                    win = None if self.fives(1) else self.by_fours(fours)
                    if win is not None:
                        wins_by_fours.append(win)
                    else:
                        longest = max(longest, self.check(strategy, threes + 1, most, fours))
                self.undo(answer)
            longest = max(longest, threes + 1)
        self.undo(move)
        return longest
