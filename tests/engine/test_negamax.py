"""Negamax: its values, moves and choices are those of a slow solver."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import Budget
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.solvable import is_exact
from noughts.engine.verdict import Analysis, Value, Verdict
from noughts.rules.game import new_game, replay_names, start
from noughts.rules.notation import cell_names
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import CountingClock, endless, readings
from tests.support.engine_games import RecordingRandom, game_at
from tests.support.five_by_five import random_position
from tests.support.slow_solver import SlowSolver, board_text

CLASSIC, MISERE, FOUR = VARIANTS["classic"], VARIANTS["misere"], VARIANTS["4x4"]
TENTH = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
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


def positions_of(variant: Variant) -> list[Position]:
    """Return every reachable position in play."""
    positions = {start(variant).key: start(variant)}
    queue = [start(variant)]
    while queue:
        position = queue.pop()
        for cell in position.legal():
            after = position.play(cell)
            if after.key not in positions and after.ended(cell) is None:
                positions[after.key] = after
                queue.append(after)
    return list(positions.values())


def sample(variant: Variant, count: int, least: int, rng: random.Random) -> list[Position]:
    """Return positions in play from random games, with at least ``least`` marks."""
    positions: list[Position] = []
    while len(positions) < count:
        game = new_game(variant)
        stop = rng.randint(least, variant.cells - 1)
        while game.ply < stop and game.outcome is None:
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            positions.append(game.position)
    return positions


def check(kernel: NegamaxKernel, solver: SlowSolver, position: Position) -> None:
    """Compare the analysis and, where it is exact, the choice with the slow solver."""
    board = board_text(position)
    worth = solver.worth(board)
    verdict, best, _ = kernel.analyse(position, endless())
    values: tuple[Value, Value, Value] = ("draw", "win", "loss")
    assert verdict == Verdict(values[worth.sign], worth.plies if worth.sign else None, "exact")
    assert best == tuple(cell for cell in solver.moves(board) if solver.after(board, cell)[1].sign == worth.sign)
    rng = RecordingRandom(1)
    if not is_exact(kernel.variant):
        return  # the choice is a heuristic one until the search reaches the end of the game
    choice = kernel.choose(game_at(position), endless(), rng)
    assert choice.verdict == verdict
    assert choice.cell in rng.options
    assert sorted(rng.options) == solver.moves_with_most_traps(board)


@pytest.mark.parametrize("variant", [CLASSIC, MISERE], ids=["classic", "misere"])
def test_every_position_of_three_by_three(variant: Variant) -> None:
    kernel, solver = NegamaxKernel(variant), SlowSolver(variant)
    positions = positions_of(variant)
    assert len(positions) == 4_520  # 5,478 less those in which the game is over
    for position in positions:
        check(kernel, solver, position)


@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.key)
def test_other_small_boards(variant: Variant) -> None:
    kernel, solver = NegamaxKernel(variant), SlowSolver(variant)
    least = max(0, variant.cells - 8)
    for position in sample(variant, 40, least, random.Random(variant.key)):
        check(kernel, solver, position)


def test_four_by_four_from_eight_marks_on() -> None:
    kernel, solver = NegamaxKernel(FOUR), SlowSolver(FOUR)
    for position in sample(FOUR, 40, 8, random.Random(4)):
        check(kernel, solver, position)


@pytest.mark.long
def test_four_by_four_from_four_marks_on() -> None:
    kernel, solver = NegamaxKernel(FOUR), SlowSolver(FOUR)
    for position in sample(FOUR, 300, 4, random.Random(5)):
        check(kernel, solver, position)


def test_four_by_four_is_a_draw_after_every_first_move() -> None:
    kernel = NegamaxKernel(FOUR)
    assert kernel.analyse(start(FOUR), endless()) == Analysis(Verdict("draw", None, "exact"), tuple(range(16)), True)


# -- when the budget ends ---------------------------------------------------------------------------------------------


def test_a_value_without_time_for_its_plies_has_none() -> None:
    """The budget ends between the proof of the value and that of the plies."""
    variant = VARIANTS["5x5"]
    position = random_position(9, random.Random(6))
    clock = CountingClock()
    exact = NegamaxKernel(variant).analyse(position, Budget(1e9, clock))
    assert exact.verdict == Verdict("loss", 8, "exact")
    verdict, best, _ = NegamaxKernel(variant).analyse(position, readings(clock.readings - 1))
    assert (verdict, best) == (Verdict("loss", None, "exact"), exact.best)


def test_a_full_table_is_cleared_and_values_stay_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.engine.negamax_search.TABLE_LIMIT", 5)
    kernel, solver = NegamaxKernel(CLASSIC), SlowSolver(CLASSIC)
    for position in positions_of(CLASSIC)[::50]:
        check(kernel, solver, position)


# -- a tenth variant --------------------------------------------------------------------------------------------------


def test_a_tenth_variant_proves_a_forced_win() -> None:
    """X has b3 and c3 with the row open: d3 makes three, open at both ends."""
    game = replay_names(TENTH, ["b3", "a1", "c3", "f5"])
    choice = NegamaxKernel(TENTH).choose(game, readings(400), random.Random(1))
    assert choice.verdict == Verdict("win", 3, "exact")
    assert cell_names(TENTH.shape)[choice.cell] == "d3"


def tenth(board: str) -> FamilyPosition:
    """Return a position of the tenth variant from its cells in order."""
    x, o = (sum(1 << cell for cell, mark in enumerate(board) if mark == side) for side in "XO")
    return FamilyPosition(TENTH, x, o, len(board.replace(".", "")))


def test_deepening_proves_a_draw_at_the_end_of_a_large_board() -> None:
    """On a board that is too large to be exact, the search to the last cell is a proof too."""
    position = tenth("XXOOXXOOXXOOXXOOXXOOXXOOXXOO..")
    choice = NegamaxKernel(TENTH).choose(game_at(position), endless(), random.Random(1))
    assert choice.verdict == Verdict("draw", None, "exact")
    last = game_at(position.play(choice.cell))
    assert NegamaxKernel(TENTH).choose(last, endless(), random.Random(1)).verdict == Verdict("draw", None, "exact")


def test_an_unfinished_iteration_replaces_a_move_only_by_a_better_one() -> None:
    """The search prefers d4 at first, and e3 from a certain depth on."""
    game = game_at(tenth("OO.XX.OXX..OX.O..XO.....X.O.XO"))
    names = cell_names(TENTH.shape)
    choices = [names[NegamaxKernel(TENTH).choose(game, readings(n), random.Random(1)).cell] for n in range(40)]
    assert set(choices) == {"d4", "e3"}
    assert choices == sorted(choices)


def test_an_unfinished_first_iteration_leaves_the_move_that_looks_one_ply_ahead() -> None:
    variant = Variant("10x10", "", "", (10, 10), 4)
    game = replay_names(variant, ["a1", "j10", "b1", "j9", "c1"])
    choice = NegamaxKernel(variant).choose(game, readings(0), random.Random(1))
    assert cell_names(variant.shape)[choice.cell] == "d1"
