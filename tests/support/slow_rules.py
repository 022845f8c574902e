"""The rules written a second time, slowly: a reference for tests.

Boards are lists of lists, and a line is found by walking from the last mark. Nothing here shares code with the masks of
``noughts.rules``; only the data of a variant come from there.
"""

from __future__ import annotations

import copy
from typing import TypeAlias

from noughts.rules.variant import Variant

Cell: TypeAlias = tuple[int, int, int]
"""(layer, row, column)"""


class SlowGame:
    """One game: ``board[layer][row][column]`` is ``"."``, ``"X"`` or ``"O"``."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        columns, rows, layers = (*variant.shape, 1)[:3]
        self.board = [[["." for _ in range(columns)] for _ in range(rows)] for _ in range(layers)]
        self.history: list[Cell] = []
        self.marks: dict[str, list[Cell]] = {"X": [], "O": []}
        """The cells of each side's marks on the board, oldest first."""
        self.large = [["." for _ in range(3)] for _ in range(3)]
        """Ultimate: ``"X"``, ``"O"`` or ``"="`` for each decided small board."""
        self.forced: tuple[int, int] | None = None
        self.end: str | None = None
        """``"X"`` or ``"O"`` when that side has won, ``"draw"``, or None while the game is on."""
        self.line: set[Cell] = set()
        self.occurrences: dict[str, int] = {}
        self.count_occurrence()

    def count_occurrence(self) -> int:
        """Count the position, where marks vanish, and return how often it has been there."""
        if self.variant.marks_kept is None:
            return 0
        name = f"{len(self.history) % 2} {self.marks['X']} {self.marks['O']}"
        self.occurrences[name] = self.occurrences.get(name, 0) + 1
        return self.occurrences[name]

    def size(self) -> Cell:
        return len(self.board), len(self.board[0]), len(self.board[0][0])

    def moves(self) -> list[Cell]:
        """Return the cells that may be filled; none after the end."""
        if self.end:
            return []
        layers, rows, columns = self.size()
        free = [
            (layer, row, column)
            for layer in range(layers)
            for row in range(rows)
            for column in range(columns)
            if self.board[layer][row][column] == "."
        ]
        if self.variant.gravity:
            free = [(z, y, x) for z, y, x in free if y == rows - 1 or self.board[z][y + 1][x] != "."]
        if self.variant.nested:
            free = [(z, y, x) for z, y, x in free if self.large[y // 3][x // 3] == "."]
            if self.forced is not None:
                free = [(z, y, x) for z, y, x in free if (y // 3, x // 3) == self.forced]
        return free

    def play(self, move: Cell) -> None:
        """Fill a cell."""
        z, y, x = move
        mark = "XO"[len(self.history) % 2]
        if self.variant.marks_kept is not None and len(self.marks[mark]) == self.variant.marks_kept:
            oldest_z, oldest_y, oldest_x = self.marks[mark].pop(0)
            self.board[oldest_z][oldest_y][oldest_x] = "."
        self.board[z][y][x] = mark
        self.history.append(move)
        self.marks[mark].append(move)
        if self.variant.nested:
            self.settle_small(y, x, mark)
            return
        self.line = self.completed(move, mark)
        if self.line:
            self.end = {"X": "O", "O": "X"}[mark] if self.variant.misere else mark
        elif self.variant.marks_kept is None:
            if not any(cell == "." for plane in self.board for row in plane for cell in row):
                self.end = "draw"
        elif self.count_occurrence() == 3 or len(self.history) == 200:
            self.end = "draw"

    def completed(self, move: Cell, mark: str) -> set[Cell]:
        """Return all cells of lines through ``move``: runs of the mark at least as long as a line."""
        cells: set[Cell] = set()
        for dz in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if (dz, dy, dx) == (0, 0, 0):
                        continue
                    run = [move]
                    for sign in (1, -1):
                        z, y, x = move
                        while True:
                            z, y, x = z + sign * dz, y + sign * dy, x + sign * dx
                            if self.at(z, y, x) != mark:
                                break
                            run.append((z, y, x))
                    if len(run) >= self.variant.line:
                        cells.update(run)
        return cells

    def at(self, z: int, y: int, x: int) -> str:
        """Return what a cell holds, or ``"outside"``."""
        layers, rows, columns = self.size()
        if 0 <= z < layers and 0 <= y < rows and 0 <= x < columns:
            return self.board[z][y][x]
        return "outside"

    def settle_small(self, y: int, x: int, mark: str) -> None:
        """Ultimate: decide the small board and the game, and set the board of the next move."""
        plane, board_y, board_x = self.board[0], y // 3, x // 3
        small = [plane[board_y * 3 + row][board_x * 3 : board_x * 3 + 3] for row in range(3)]
        if has_three(small, mark):
            self.large[board_y][board_x] = mark
        elif all(cell != "." for row in small for cell in row):
            self.large[board_y][board_x] = "="
        if has_three(self.large, mark):
            self.end = mark
        elif all(cell != "." for row in self.large for cell in row):
            self.end = "draw"
        self.forced = (y % 3, x % 3) if self.large[y % 3][x % 3] == "." else None


def has_three(marks: list[list[str]], mark: str) -> bool:
    """Return whether three rows of three have a line of the mark."""
    columns = [[marks[row][column] for row in range(3)] for column in range(3)]
    diagonals = [[marks[i][i] for i in range(3)], [marks[i][2 - i] for i in range(3)]]
    return [mark] * 3 in [*marks, *columns, *diagonals]


def every_cell(variant: Variant) -> list[Cell]:
    """Return all cells of a board, in the order of their indices."""
    columns, rows, layers = (*variant.shape, 1)[:3]
    return [(z, y, x) for z in range(layers) for y in range(rows) for x in range(columns)]


def name_of(variant: Variant, cell: Cell) -> str:
    """Return the name of a cell, as it is on the wire."""
    z, y, x = cell
    return f"{'abcdefghijklmno'[x]}{y + 1}" + (f".{z + 1}" if len(variant.shape) == 3 else "")


def slow_perft(game: SlowGame, depth: int) -> int:
    """Return the number of ways to go on for ``depth`` plies."""
    if depth == 0:
        return 1
    moves = game.moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = copy.deepcopy(game)
        after.play(move)
        total += slow_perft(after, depth - 1)
    return total
