"""Positions of gomoku and Qubic for tests, and the slow referee's view of them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import NamedTuple

from noughts.engine.budget import Budget
from noughts.engine.threats.lines import board_of
from noughts.engine.threats.searches import FOUR_LIMIT, FourSearch, Scope, Searches, ThreeSearch
from noughts.rules.game import Game, replay_names
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.variant import VARIANTS, Variant, lines
from tests.support.gomoku_referee import Referee

_FOLDER = Path(__file__).parents[1] / "engine" / "threats"


class Case(NamedTuple):
    """A committed position. The side to move wins in ``plies``, or only the cells ``holding`` stop the opponent."""

    position: Position
    plies: int
    holding: frozenset[int]


def cases(kind: str, key: str) -> list[Case]:
    """Return the positions of fours.txt of a kind, "win" or "hold", and a variant."""
    selected = []
    for row in (_FOLDER / "fours.txt").read_text().splitlines():
        if row.startswith("#"):
            continue
        row_kind, variant, moves, answer = (part.strip() for part in row.split(";"))
        if (row_kind, variant) != (kind, key):
            continue
        position = replay_names(VARIANTS[key], moves.split()).position
        if kind == "win":
            selected.append(Case(position, int(answer), frozenset()))
        else:
            selected.append(Case(position, 0, frozenset(VARIANTS[key].index_of[name] for name in answer.split())))
    return selected


def puzzles(file: str = "gomoku_puzzles.txt") -> list[tuple[Game, int, int]]:
    """Return the gomoku puzzles of a file: a game, a winning cell, and the threes in the longest line of the win."""
    gomoku = VARIANTS["gomoku"]
    rows = []
    for row in (_FOLDER / file).read_text().splitlines():
        if not row.startswith("#"):
            moves, best, threes = (part.strip() for part in row.split(";"))
            rows.append((replay_names(gomoku, moves.split()), gomoku.index_of[best], int(threes)))
    return rows


@cache
def searches_of(variant: Variant) -> Searches:
    """Return the compiled searches of a variant, the same ones each time."""
    return Searches(variant)


def four_search(variant: Variant, budget: Budget) -> FourSearch:
    """Return a search for wins by fours, with an empty table."""
    return searches_of(variant).fours(budget)


def three_search(
    variant: Variant, budget: Budget, four_limit: int = FOUR_LIMIT, scope: Scope = Scope.FULL
) -> ThreeSearch:
    """Return a search for wins by threes, with an empty tree."""
    return searches_of(variant).threes(budget, four_limit, scope)


def marks_of(position: Position) -> tuple[int, int]:
    """Return the marks of the side to move and of the opponent."""
    return (position.o, position.x) if position.turn == "O" else (position.x, position.o)


def sides(position: Position) -> tuple[list[int], list[int]]:
    """Return the cells of the side to move and of the opponent."""
    cells = range(position.variant.cells)
    own, other = marks_of(position)
    return [cell for cell in cells if own >> cell & 1], [cell for cell in cells if other >> cell & 1]


def referee(position: Position, *, attacker_moves: bool = True) -> Referee:
    """Return the slow referee of this position. Its attacker is the side to move, or the opponent."""
    mover, rival = sides(position)
    variant = position.variant
    shape = (variant.columns, variant.rows, variant.layers)
    if attacker_moves:
        return Referee(mover, rival, shape, variant.line)
    return Referee(rival, mover, shape, variant.line)


def referee_win(position: Position, search: ThreeSearch) -> int:
    """Let the referee try every legal answer to every move of the search's win. Raise Refuted.

    Return the threes in its longest line.
    """

    def strategy(attacker: frozenset[int], defender: frozenset[int]) -> int | None:
        best = search.solve(sum(1 << cell for cell in attacker), sum(1 << cell for cell in defender))
        return best[0].bit_length() - 1 if best else None

    return referee(position).check(strategy)


def shortest_by_fours(position: Position, most: int) -> int | None:
    """Return the plies of the shortest win by at most ``most`` fours, by the referee, or None."""
    slow = referee(position)
    for fours in range(most + 1):
        if slow.by_fours(fours) is not None:
            return 2 * fours + 1
    return None


def wins_by_fours_after(position: Position, cell: int, fours: int) -> bool:
    """Return whether the side to move wins by at most ``fours`` fours, the first of them at ``cell``."""
    slow = referee(position)
    if slow.fives(1) - {cell}:
        return False
    slow.make(cell, 0)
    answers = slow.fives(0)
    if len(answers) != 1:
        return len(answers) > 1
    slow.make(answers.pop(), 1)
    return slow.by_fours(fours - 1) is not None


def late_position(variant: Variant, rng: random.Random, left: int) -> FamilyPosition | None:
    """Return a position of random marks with ``left`` free cells, None if a line is complete."""
    ply = variant.cells - left
    cells = rng.sample(range(variant.cells), ply)
    x = sum(1 << cell for cell in cells[::2])
    o = sum(1 << cell for cell in cells[1::2])
    if any(line & x == line or line & o == line for line in lines(variant.shape, variant.line)):
        return None
    return FamilyPosition(variant, x, o, ply)


def late_positions(variant: Variant, rng: random.Random, count: int) -> list[FamilyPosition]:
    """Return the positions in play among ``count`` random ones with four to ten free cells."""
    candidates = (late_position(variant, rng, rng.randrange(4, 11)) for _ in range(count))
    return [position for position in candidates if position]


def scattered(seed: int, marks: int) -> FamilyPosition:
    """Return a gomoku position of random marks in turn within the middle 9x9, with no complete line."""
    gomoku = VARIANTS["gomoku"]
    through = board_of(gomoku).through
    rng = random.Random(seed)
    x = o = 0
    ply = 0
    for cell in rng.sample([c for c in range(225) if 3 <= c % 15 < 12 and 3 <= c // 15 < 12], 81):
        if ply == marks:
            break
        own = (o if ply & 1 else x) | 1 << cell
        if any(line & own == line for line in through[1 << cell]):
            continue
        x, o = (x, own) if ply & 1 else (own, o)
        ply += 1
    return FamilyPosition(gomoku, x, o, ply)


def gomoku_position(*rows: str, turn: str = "X") -> FamilyPosition:
    """Return a gomoku position from a picture of the board's upper left corner. ``turn`` sets the side to move."""
    x = o = 0
    for row, text in enumerate(rows):
        for column, mark in enumerate(text.split()):
            bit = 1 << (row * 15 + column)
            x |= bit if mark == "X" else 0
            o |= bit if mark == "O" else 0
    return FamilyPosition(VARIANTS["gomoku"], x, o, 20 if turn == "X" else 21)
