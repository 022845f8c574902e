"""What the tests of gomoku and Qubic share: the committed positions, budgets, and the slow referee's view of a board."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path
from typing import NamedTuple

from noughts.engine.budget import Budget
from noughts.engine.kernel import Kernel
from noughts.rules.game import replay_names
from noughts.rules.notation import cell_index
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.variant import VARIANTS, Variant, lines
from tools.gomoku_referee import Referee

HERE = Path(__file__).parent


def looks(number: int) -> Budget:
    """A budget of so many looks at the clock: the same on every machine."""
    return Budget(number, count().__next__)


def no_time() -> Budget:
    """A budget that was spent before it came."""
    return Budget(0.0, lambda: 1.0)


class Case(NamedTuple):
    """A committed position: where it wins in ``plies``, or is held by ``holding`` alone."""

    position: Position
    plies: int
    holding: frozenset[int]


def cases(kind: str, key: str) -> list[Case]:
    """The positions of fours.txt of a kind, "win" or "hold", and a variant."""
    found = []
    for text in (HERE / "fours.txt").read_text().splitlines():
        if text.startswith("#"):
            continue
        what, variant, moves, answer = (part.strip() for part in text.split(";"))
        if (what, variant) != (kind, key):
            continue
        position = replay_names(VARIANTS[key], moves.split()).position
        if kind == "win":
            found.append(Case(position, int(answer), frozenset()))
        else:
            found.append(Case(position, 0, frozenset(cell_index(VARIANTS[key], name) for name in answer.split())))
    return found


def sides(position: Position) -> tuple[list[int], list[int]]:
    """The cells of the side to move, and of the other."""
    x = [cell for cell in range(position.variant.cells) if position.x >> cell & 1]
    o = [cell for cell in range(position.variant.cells) if position.o >> cell & 1]
    return (o, x) if position.turn == "O" else (x, o)


def referee(position: Position, *, attacker_moves: bool = True) -> Referee:
    """The slow referee on this position; its attacker is the side to move, or the other."""
    mover, rival = sides(position)
    variant = position.variant
    shape = (variant.columns, variant.rows, variant.layers)
    if attacker_moves:
        return Referee(mover, rival, shape, variant.line)
    return Referee(rival, mover, shape, variant.line)


def shortest_by_fours(position: Position, most: int) -> int | None:
    """The plies of the shortest win by continuous fours, by the referee, with at most ``most`` fours."""
    slow = referee(position)
    for fours in range(most + 1):
        if slow.by_fours(fours) is not None:
            return 2 * fours + 1
    return None


def wins_by_fours_after(position: Position, cell: int, fours: int) -> bool:
    """Whether the side to move wins by at most ``fours`` fours, the first of them at ``cell``."""
    slow = referee(position)
    if slow.fives(1) - {cell}:
        return False
    slow.make(cell, 0)
    answers = slow.fives(0)
    if len(answers) != 1:
        return len(answers) > 1
    slow.make(answers.pop(), 1)
    return slow.by_fours(fours - 1) is not None


def solve_slowly(position: Position, known: dict[tuple[int, int], int]) -> int:
    """1, 0 or -1 for the side to move, by trying everything."""
    variant = position.variant
    x, o = position.x, position.o
    if (x, o) in known:
        return known[x, o]
    own = o if position.turn == "O" else x
    every = lines(variant.shape, variant.line)
    value = -1
    moves = [cell for cell in range(variant.cells) if not (x | o) >> cell & 1]
    if not moves:
        value = 0
    elif any(line & (own | 1 << cell) == line for cell in moves for line in every if line >> cell & 1):
        value = 1
    else:
        for cell in moves:
            value = max(value, -solve_slowly(position.play(cell), known))
            if value == 1:
                break
    known[x, o] = value
    return value


def late_position(variant: Variant, rng: random.Random, left: int) -> FamilyPosition | None:
    """Marks at random with ``left`` cells to go; None if a line is full already."""
    ply = variant.cells - left
    cells = rng.sample(range(variant.cells), ply)
    x = sum(1 << cell for cell in cells[::2])
    o = sum(1 << cell for cell in cells[1::2])
    if any(line & x == line or line & o == line for line in lines(variant.shape, variant.line)):
        return None
    return FamilyPosition(variant, x, o, ply)


def check_against_everything(kernel: Kernel, positions: list[FamilyPosition]) -> dict[str, int]:
    """No verdict differs from the exact value and every best move keeps it; counts of verdicts by value."""
    seen = {"win": 0, "draw": 0, "loss": 0, "unknown": 0}
    for position in positions:
        known: dict[tuple[int, int], int] = {}
        value = {1: "win", 0: "draw", -1: "loss"}[solve_slowly(position, known)]
        found = kernel.analyse(position, looks(100_000))
        assert found.verdict.value in (value, "unknown"), position
        seen[found.verdict.value] += 1
        if found.verdict.value == "loss":
            assert found.best == position.legal()
        for cell in found.best:
            after = position.play(cell)
            if after.ended(cell) is None:
                assert solve_slowly(after, known) == {"win": -1, "draw": 0, "loss": 1}[value], (position, cell)
    return seen
