"""The family's own search, against a slow solver that shares nothing with it.

The slow one keeps a board as a string and looks for lines by walking over a grid; it tries every move of every
position, so it is used on small boards and on the ends of larger games.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from noughts.engine.budget import Budget
from noughts.engine.negamax import FamilyKernel
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import Game, new_game, replay_names, start
from noughts.rules.notation import cell_names
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant

CLASSIC, MISERE, FOUR = VARIANTS["classic"], VARIANTS["misere"], VARIANTS["4x4"]
SMALL = (
    Variant("4x3", "", "", (4, 3), 3),
    Variant("4x3-misere", "", "", (4, 3), 3, misere=True),
    Variant("2x2x2", "", "", (2, 2, 2), 2),
    Variant("2x2x3", "", "", (2, 2, 3), 3),
    Variant("drop-4x3", "", "", (4, 3), 3, gravity=True),
    Variant("drop-3x4", "", "", (3, 4), 3, gravity=True),
    Variant("drop-5x4", "", "", (5, 4), 4, gravity=True),
    Variant("drop-4x5", "", "", (4, 5), 4, gravity=True),
    Variant("drop-4x4-misere", "", "", (4, 4), 3, gravity=True, misere=True),
    Variant("no-line", "", "", (3, 3), 4),
)


class Worth(NamedTuple):
    """What a position is worth to the side to move: 1, 0 or -1, and the plies to the end of a win or a loss."""

    sign: int
    plies: int


class SlowSolver:
    """Tries everything. A board is a string of ``.``, ``X`` and ``O``, layer by layer, row by row."""

    def __init__(self, variant: Variant) -> None:
        self.rule = variant
        self.columns, self.rows, self.layers = (*variant.shape, 1)[:3]
        self.known: dict[str, Worth] = {}

    def at(self, board: str, z: int, y: int, x: int) -> str:
        if 0 <= z < self.layers and 0 <= y < self.rows and 0 <= x < self.columns:
            return board[(z * self.rows + y) * self.columns + x]
        return "#"

    def moves(self, board: str) -> list[int]:
        free = [cell for cell, mark in enumerate(board) if mark == "."]
        if self.rule.gravity:
            below = self.columns
            free = [cell for cell in free if cell + below >= len(board) or board[cell + below] != "."]
        return free

    def completes(self, board: str, cell: int) -> bool:
        """Whether the mark on ``cell`` stands in a run as long as a line."""
        z, y, x = cell // self.columns // self.rows, cell // self.columns % self.rows, cell % self.columns
        mark = board[cell]
        for direction in range(14, 27):
            dz, dy, dx = direction // 9 - 1, direction // 3 % 3 - 1, direction % 3 - 1
            run = 1
            for sign in (1, -1):
                step = sign
                while self.at(board, z + dz * step, y + dy * step, x + dx * step) == mark:
                    run += 1
                    step += sign
            if run >= self.rule.line:
                return True
        return False

    def after(self, board: str, cell: int) -> tuple[str, Worth]:
        """The board after a move, and what the move is worth to who makes it."""
        mark = "X" if board.count("X") == board.count("O") else "O"
        board = board[:cell] + mark + board[cell + 1 :]
        if self.completes(board, cell):
            return board, Worth(-1 if self.rule.misere else 1, 1)
        if "." not in board:
            return board, Worth(0, 0)
        worth = self.worth(board)
        return board, Worth(-worth.sign, worth.plies + 1 if worth.sign else 0)

    def worth(self, board: str) -> Worth:
        if board not in self.known:
            self.known[board] = max((self.after(board, cell)[1] for cell in self.moves(board)), key=rank)
        return self.known[board]

    def tempting(self, board: str) -> list[int]:
        """The moves of perfect play: of those worth the most, those with most replies that throw value away."""
        worth = self.worth(board)
        best = [cell for cell in self.moves(board) if self.after(board, cell)[1] == worth]
        chances = {}
        for cell in best:
            after, gained = self.after(board, cell)
            over = gained.plies == 1 or "." not in after
            replies = [] if over else [self.after(after, reply)[1].sign for reply in self.moves(after)]
            chances[cell] = sum(sign < max(replies) for sign in replies)
        return [cell for cell in best if chances[cell] == max(chances.values())]


def rank(worth: Worth) -> tuple[int, int]:
    """A win is better the sooner, a loss the later."""
    return worth.sign, -worth.plies * worth.sign


def board_of(position: Position) -> str:
    cells = range(position.variant.cells)
    return "".join("X" if position.x >> cell & 1 else "O" if position.o >> cell & 1 else "." for cell in cells)


class Offered(random.Random):
    """Remembers what it was asked to choose from."""

    options: Sequence[Any] = ()

    def choice(self, seq: Sequence[Any]) -> Any:
        self.options = seq
        return super().choice(seq)


def plenty() -> Budget:
    return Budget(1.0, lambda: 0.0)


def nothing() -> Budget:
    return Budget(0.0, lambda: 1.0)


def positions_of(variant: Variant) -> list[Position]:
    """Every reachable position in play."""
    found = {start(variant).key: start(variant)}
    fresh = [start(variant)]
    while fresh:
        position = fresh.pop()
        for cell in position.legal():
            after = position.play(cell)
            if after.key not in found and after.ended(cell) is None:
                found[after.key] = after
                fresh.append(after)
    return list(found.values())


def sample(variant: Variant, count: int, least: int, rng: random.Random) -> list[Position]:
    """Positions in play from random games, with at least so many marks."""
    found = []
    while len(found) < count:
        game = new_game(variant)
        stop = rng.randint(least, variant.cells - 1)
        while game.ply < stop and game.outcome is None:
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            found.append(game.position)
    return found


def check(kernel: FamilyKernel, solver: SlowSolver, position: Position) -> None:
    board = board_of(position)
    worth = solver.worth(board)
    verdict, best = kernel.analyse(position, plenty())
    value = ("draw", "win", "loss")[worth.sign]
    assert verdict == Verdict(value, worth.plies if worth.sign else None, "exact")
    assert best == tuple(cell for cell in solver.moves(board) if solver.after(board, cell)[1].sign == worth.sign)
    rng = Offered(1)
    if not kernel.exact:
        return  # its moves are guesses until nothing is left to guess
    choice = kernel.choose(position, plenty(), rng)
    assert choice.verdict == verdict
    assert choice.cell in rng.options
    assert sorted(rng.options) == solver.tempting(board)


@pytest.mark.parametrize("variant", [CLASSIC, MISERE], ids=["classic", "misere"])
def test_every_position_of_three_by_three(variant: Variant) -> None:
    kernel, solver = FamilyKernel(variant), SlowSolver(variant)
    positions = positions_of(variant)
    assert len(positions) == 4_520  # 5,478 less those in which the game is over
    for position in positions:
        check(kernel, solver, position)


@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.key)
def test_other_small_boards(variant: Variant) -> None:
    kernel, solver = FamilyKernel(variant), SlowSolver(variant)
    assert kernel.exact == (variant.cells <= 16)
    least = max(0, variant.cells - 8)
    for position in sample(variant, 40, least, random.Random(variant.key)):
        check(kernel, solver, position)


def test_four_by_four_from_eight_marks_on() -> None:
    kernel, solver = FamilyKernel(FOUR), SlowSolver(FOUR)
    for position in sample(FOUR, 40, 8, random.Random(4)):
        check(kernel, solver, position)


@pytest.mark.long
def test_four_by_four_from_four_marks_on() -> None:
    kernel, solver = FamilyKernel(FOUR), SlowSolver(FOUR)
    for position in sample(FOUR, 300, 4, random.Random(5)):
        check(kernel, solver, position)


def test_four_by_four_is_a_draw_whatever_the_first_move() -> None:
    kernel = FamilyKernel(FOUR)
    assert kernel.analyse(start(FOUR), plenty()) == (Verdict("draw", None, "exact"), tuple(range(16)))


def test_the_openings_of_misere() -> None:
    assert FamilyKernel(MISERE).analyse(start(MISERE), plenty()).best == (4,)


def test_the_first_move_sets_the_most_traps() -> None:
    # Against a corner seven of eight replies lose, against the centre four, against an edge four.
    rng = Offered(2)
    FamilyKernel(CLASSIC).choose(start(CLASSIC), plenty(), rng)
    assert sorted(rng.options) == [0, 2, 6, 8]


def test_wins_soonest_and_loses_latest() -> None:
    #  X X .      X to move wins at once on c1, and could also wait
    #  O O .
    #  . . .
    game = replay_names(CLASSIC, ["a1", "a2", "b1", "b2"])
    choice = FamilyKernel(CLASSIC).choose(game.position, plenty(), random.Random(1))
    assert choice == (2, Verdict("win", 1, "exact"))
    #  X . X      O to move is lost: X threatens two lines
    #  . O .
    #  X . O
    game = replay_names(CLASSIC, ["a1", "b2", "c1", "c3", "a3"])
    choice = FamilyKernel(CLASSIC).choose(game.position, plenty(), random.Random(1))
    assert choice.verdict == Verdict("loss", 2, "exact")


def test_nodes_stay_few() -> None:
    kernel = FamilyKernel(FOUR)
    kernel.analyse(start(FOUR), plenty())
    assert kernel.nodes < 60_000
    before = kernel.nodes
    kernel.analyse(start(FOUR), plenty())
    assert kernel.nodes - before < 100  # at once when warm


# -- when the budget ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["4x4", "5x5", "four-in-a-row", "qubic"])
def test_out_of_time_is_unknown_and_still_a_legal_move(key: str) -> None:
    variant = VARIANTS[key]
    kernel = FamilyKernel(variant)
    assert kernel.analyse(start(variant), looks(1)) == (UNKNOWN, ())
    choice = kernel.choose(start(variant), looks(1), random.Random(1))
    assert choice.cell in start(variant).legal()
    assert choice.verdict == UNKNOWN


def test_without_any_time_it_still_completes_a_line_or_stops_one() -> None:
    rng = random.Random(3)
    game = replay_names(TENTH, ["b2", "a5", "c2", "b5", "d2", "f4"])
    assert cell_names(TENTH.shape)[FamilyKernel(TENTH).choose(game.position, looks(0), rng).cell] in ("a2", "e2")
    game = replay_names(TENTH, ["b2", "a5", "c2", "b5", "f1", "c5"])
    assert cell_names(TENTH.shape)[FamilyKernel(TENTH).choose(game.position, looks(0), rng).cell] == "d5"


def looks(count: int) -> Budget:
    """A budget that ends after so many looks at it."""
    ticks = iter(range(count))
    return Budget(1.0, lambda: 0.0 if next(ticks, None) is not None else 2.0)


def test_an_interrupted_search_never_tells_a_wrong_value() -> None:
    whole = FamilyKernel(FOUR)
    rng = random.Random(6)
    for position in sample(FOUR, 12, 2, rng):
        true = whole.analyse(position, plenty())
        kernel = FamilyKernel(FOUR)
        for count in range(1, 12):
            told = kernel.analyse(position, looks(count))
            if told.verdict != UNKNOWN:
                assert told.verdict.value == true.verdict.value
                assert told.verdict.plies in (None, true.verdict.plies)
                assert set(told.best) <= set(true.best)
                assert told.best


# -- a tenth variant --------------------------------------------------------------------------------------------------

TENTH = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)


def test_a_tenth_variant_plays_sensibly_with_no_line_written_for_it() -> None:
    kernel = FamilyKernel(TENTH)
    assert not kernel.exact
    wins = 0
    rng = random.Random(8)
    for number in range(4):
        game = new_game(TENTH)
        while game.outcome is None:
            if game.ply % 2 == number % 2:
                game = game.play(kernel.choose(game.position, looks(10), rng).cell)
            else:
                game = game.play(rng.choice(game.legal()))
        wins += game.outcome.winner == "XO"[number % 2]
    assert wins == 4


def test_a_tenth_variant_finds_a_forced_win_and_says_so() -> None:
    # X has b3 and c3 with the row open: d3 makes three, open at both ends.
    game: Game = replay_names(TENTH, ["b3", "a1", "c3", "f5"])
    choice = FamilyKernel(TENTH).choose(game.position, looks(400), random.Random(1))
    assert choice.verdict == Verdict("win", 3, "exact")
    assert cell_names(TENTH.shape)[choice.cell] == "d3"
