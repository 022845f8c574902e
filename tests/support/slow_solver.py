"""A slow solver of plain boards for tests. It shares no code with the engine or the rules.

It stores a board as a string, finds lines by walking over a grid, and tries every move of every position. So it is for
small boards and for the ends of larger games.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.engine.verdict import Value, Verdict
from noughts.rules.position import Position
from noughts.rules.variant import Variant

NAMES: Final[dict[int, Value]] = {1: "win", 0: "draw", -1: "loss"}


class Worth(NamedTuple):
    """The value of a position for the side to move (1, 0 or -1), and the plies to the end of a win or a loss."""

    sign: int
    plies: int


class SlowSolver:
    """Tries everything. A board is a string of ``.``, ``X`` and ``O``, layer by layer, row by row."""

    def __init__(self, variant: Variant) -> None:
        self.rule = variant
        self.columns, self.rows, self.layers = (*variant.shape, 1)[:3]
        self.table: dict[str, Worth] = {}
        steps = [(n // 9 - 1, n // 3 % 3 - 1, n % 3 - 1) for n in range(14, 27)]
        self.directions = [step for step in steps if self.layers > 1 or not step[0]]

    def at(self, board: str, z: int, y: int, x: int) -> str:
        """Return the mark at these coordinates, ``#`` outside the board."""
        if 0 <= z < self.layers and 0 <= y < self.rows and 0 <= x < self.columns:
            return board[(z * self.rows + y) * self.columns + x]
        return "#"

    def moves(self, board: str) -> list[int]:
        """Return the legal cells."""
        free = [cell for cell, mark in enumerate(board) if mark == "."]
        if self.rule.gravity:
            below = self.columns
            free = [cell for cell in free if cell + below >= len(board) or board[cell + below] != "."]
        return free

    def completes(self, board: str, cell: int) -> bool:
        """Return whether the mark on ``cell`` stands in a row as long as a line."""
        z, y, x = cell // self.columns // self.rows, cell // self.columns % self.rows, cell % self.columns
        mark = board[cell]
        for dz, dy, dx in self.directions:
            length = 1
            for sign in (1, -1):
                step = sign
                while self.at(board, z + dz * step, y + dy * step, x + dx * step) == mark:
                    length += 1
                    step += sign
            if length >= self.rule.line:
                return True
        return False

    def after(self, board: str, cell: int) -> tuple[str, Worth]:
        """Return the board after a move, and the worth of the move for the side that makes it."""
        board = filled(board, cell)
        if self.completes(board, cell):
            return board, Worth(-1 if self.rule.misere else 1, 1)
        if "." not in board:
            return board, Worth(0, 0)
        worth = self.worth(board)
        return board, Worth(-worth.sign, worth.plies + 1 if worth.sign else 0)

    def worth(self, board: str) -> Worth:
        """Return the worth of a position for the side to move."""
        if board not in self.table:
            moves = self.moves(board)
            if not self.rule.misere and any(self.completes(filled(board, cell), cell) for cell in moves):
                self.table[board] = Worth(1, 1)
            else:
                self.table[board] = max((self.after(board, cell)[1] for cell in moves), key=_rank)
        return self.table[board]

    def moves_with_most_traps(self, board: str) -> list[int]:
        """Return the moves of perfect play: of those worth the most, those after which the most replies lose value."""
        worth = self.worth(board)
        best = [cell for cell in self.moves(board) if self.after(board, cell)[1] == worth]
        mistakes = {}
        for cell in best:
            after, move_worth = self.after(board, cell)
            over = move_worth.plies == 1 or "." not in after
            replies = [] if over else [self.after(after, reply)[1].sign for reply in self.moves(after)]
            mistakes[cell] = sum(sign < max(replies) for sign in replies)
        return [cell for cell in best if mistakes[cell] == max(mistakes.values())]


def slow_verdict(position: Position) -> tuple[Verdict, tuple[int, ...]]:
    """Return the verdict of a position, and all cells that keep its value."""
    solver, board = SlowSolver(position.variant), board_text(position)
    worth = solver.worth(board)
    keeping = [cell for cell in solver.moves(board) if solver.after(board, cell)[1].sign == worth.sign]
    return Verdict(NAMES[worth.sign], worth.plies if worth.sign else None, "exact"), tuple(keeping)


def filled(board: str, cell: int) -> str:
    """Return a board with one more mark, of the side to move."""
    return board[:cell] + ("X" if board.count("X") == board.count("O") else "O") + board[cell + 1 :]


def _rank(worth: Worth) -> tuple[int, int]:
    """A win is better the sooner, a loss the later."""
    return worth.sign, -worth.plies * worth.sign


def board_text(position: Position) -> str:
    """Return a position as the solver's string."""
    cells = range(position.variant.cells)
    return "".join("X" if position.x >> cell & 1 else "O" if position.o >> cell & 1 else "." for cell in cells)
