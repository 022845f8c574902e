"""Positions of 5x5 for tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from noughts.engine.verdict import Value
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS

VARIANT = VARIANTS["5x5"]
SIDE = 5
_FILE = Path(__file__).parents[1] / "engine" / "five_by_five" / "values.txt"


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
