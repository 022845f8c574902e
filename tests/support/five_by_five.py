"""Positions and a slow solver of 5x5 for tests. The solver uses lists of cells, no masks, and no cuts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from noughts.engine.verdict import Value
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS

VARIANT = VARIANTS["5x5"]
SIDE, LINE = 5, 4
VALUES: tuple[Value, Value, Value] = ("draw", "win", "loss")
"""The names of the values 0, 1 and -1, by index."""
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
_FILE = Path(__file__).parents[1] / "engine" / "five_by_five" / "values.txt"


def slow_completes(board: str, cell: int) -> bool:
    """Return whether the mark on ``cell`` stands in a row of four."""
    mark = board[cell]
    for right, down in _DIRECTIONS:
        length = 1
        for sign in (1, -1):
            x, y = cell % SIDE + sign * right, cell // SIDE + sign * down
            while 0 <= x < SIDE and 0 <= y < SIDE and board[y * SIDE + x] == mark:
                length += 1
                x, y = x + sign * right, y + sign * down
        if length >= LINE:
            return True
    return False


@lru_cache(maxsize=1 << 20)
def slow_solve(board: str, mark: str) -> tuple[int, int]:
    """Return the value for ``mark``, to move, and the plies to the end: the soonest win, the latest loss."""
    best, plies = -1, 0
    empty = [cell for cell in range(SIDE * SIDE) if board[cell] == "."]
    if not empty:
        return 0, 0
    for cell in empty:
        after = board[:cell] + mark + board[cell + 1 :]
        if slow_completes(after, cell):
            return 1, 1
    for cell in empty:
        after = board[:cell] + mark + board[cell + 1 :]
        value, length = slow_solve(after, "O" if mark == "X" else "X")
        value, length = -value, length + 1
        if value > best or (value == best == 1 and length < plies) or (value == best == -1 and length > plies):
            best, plies = value, length
    return best, plies if best else 0


def text_of(position: FamilyPosition) -> str:
    """Return a position as a string of ``.``, ``X`` and ``O``, row by row."""
    return "".join("X" if position.x >> i & 1 else "O" if position.o >> i & 1 else "." for i in range(SIDE * SIDE))


def position_of(text: str) -> FamilyPosition:
    """Return the position in a string of ``.``, ``X`` and ``O``, row by row."""
    x = sum(1 << i for i in range(SIDE * SIDE) if text[i] == "X")
    o = sum(1 << i for i in range(SIDE * SIDE) if text[i] == "O")
    return FamilyPosition(VARIANT, x, o, (x | o).bit_count())


def random_position(marks: int, rng: random.Random) -> FamilyPosition:
    """Return a position in play with this many marks, on random cells."""
    while True:
        position = FamilyPosition(VARIANT)
        for cell in rng.sample(range(SIDE * SIDE), marks):
            position = position.play(cell)
            if position.ended(cell):
                break
        else:
            return position


def solved_positions() -> Iterator[tuple[FamilyPosition, Value, int | None]]:
    """Yield positions with the values and plies that a plain negamax computed; the file says how."""
    names: dict[str, Value] = {"win": "win", "draw": "draw", "loss": "loss"}
    for row in _FILE.read_text().splitlines():
        if not row.startswith("#"):
            board, value, *plies = row.split()
            yield position_of(board), names[value], int(plies[0]) if plies else None
