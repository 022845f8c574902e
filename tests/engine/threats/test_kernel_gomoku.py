"""Gomoku: the kernel finds every win by continuous fours and every defence, and most wins by threes, in a second.

The kernel of Qubic finds wins by fours and defences too.

Budgets are readings of a clock that advances at each one, so nothing here depends on the machine.
"""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.threats.searches import Scope
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.rules.game import replay
from noughts.rules.notation import cell_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS
from tests.support.budgets import no_time, ticking
from tests.support.engine_games import game_at
from tests.support.threats import (
    cases,
    gomoku_position,
    puzzles,
    referee,
    referee_win,
    shortest_by_fours,
    three_search,
    wins_by_fours_after,
)

GOMOKU = VARIANTS["gomoku"]
NAMES = cell_names(GOMOKU.shape)
KERNEL = ThreatKernel(GOMOKU)
QUBIC = QubicKernel(VARIANTS["qubic"])
A_SECOND = 1800
"""Clock readings. The program reads a clock that counts them once in few nodes."""


def cells(*names: str) -> tuple[int, ...]:
    return tuple(sorted(NAMES.index(name) for name in names))


FIVE = gomoku_position(". . . . . . .", ". X X . X X .", ". O O O O . .")
BLOCK = gomoku_position(". . . . . . .", ". O X X X . .", ". X O O O O .", ". . . . . . .")
OPEN_THREE = gomoku_position(". . . . . . .", ". . . . . . .", ". . . X X X . .", ". O . O . O . .")


@pytest.mark.parametrize("readings", [0, 3, 300])
def test_with_any_budget_a_line_is_completed_and_the_opponent_blocked(readings: int) -> None:
    rng = random.Random(1)

    def choose(position: FamilyPosition) -> tuple[int, Verdict]:
        return KERNEL.choose(game_at(position), ticking(readings) if readings else no_time(), rng)

    assert choose(FIVE) == (NAMES.index("d2"), Verdict("win", 1, "exact"))
    assert choose(BLOCK)[0] == NAMES.index("g3")
    cell, verdict = choose(OPEN_THREE)
    assert cell in cells("c3", "g3")
    assert verdict == Verdict("win", 3, "exact")
    against = FamilyPosition(GOMOKU, OPEN_THREE.x, OPEN_THREE.o, 21)
    assert choose(against)[0] in cells("b3", "c3", "g3", "h3", "c4", "e4")  # a block, or a four of its own first


def test_six_in_a_row_wins() -> None:
    position = gomoku_position(". . . . . . . .", ". X X X . X X .", ". O O O . O O .")
    assert KERNEL.analyse(position, ticking(10)) == Analysis(Verdict("win", 1, "exact"), cells("e2"))


def test_a_line_ends_at_the_edge_of_the_board() -> None:
    """Four marks at the end of one row and one at the start of the next are no line."""
    rows = (". . . . . . . . . . O X X X X", "X . . . . . . . . . . . . . .", "O O O . . . . . . . . . . . .")
    assert KERNEL.analyse(gomoku_position(*rows), ticking(2000)).verdict.plies != 1


@pytest.mark.parametrize("kernel", [KERNEL, QUBIC], ids=lambda kernel: kernel.variant.key)
@pytest.mark.parametrize("plies", [3, 5, 7, 9, 11])
def test_every_win_by_continuous_fours_is_found(plies: int, kernel: ThreatKernel) -> None:
    selected = [case for case in cases("win", kernel.variant.key) if case.plies == plies]
    assert len(selected) >= 10
    for case in selected:
        assert shortest_by_fours(case.position, 5) == plies
        analysis = kernel.analyse(case.position, ticking(A_SECOND))
        assert analysis.verdict == Verdict("win", plies if plies <= 5 else None, "exact")
        assert analysis.best
        for cell in analysis.best:
            assert wins_by_fours_after(case.position, cell, plies // 2), kernel.variant.names[cell]
        choice = kernel.choose(game_at(case.position), ticking(A_SECOND), random.Random(1))
        assert choice.cell in analysis.best


@pytest.mark.search
@pytest.mark.parametrize("kernel", [KERNEL, QUBIC], ids=lambda kernel: kernel.variant.key)
def test_every_defence_to_continuous_fours_is_found(kernel: ThreatKernel, whole: bool) -> None:
    selected = cases("hold", kernel.variant.key)
    assert len(selected) >= 20
    assert sum(len(case.holding) == 1 for case in selected) >= 3
    for case in selected[:: 1 if whole else 3]:
        slow = referee(case.position, attacker_moves=False)
        assert slow.by_fours(30) is not None  # it is a threat
        assert all(slow.holds(cell) for cell in case.holding)
        choice = kernel.choose(game_at(case.position), ticking(A_SECOND), random.Random(1))
        assert choice.cell in case.holding
        if choice.verdict.value == "win":  # the side that must defend may win by fours and threes of its own
            assert referee_win(case.position, three_search(kernel.variant, ticking(5_000), scope=Scope.WIDE)) >= 1


@pytest.mark.search
def test_most_puzzles_with_open_threes_are_solved_in_a_second(whole: bool) -> None:
    all_puzzles = puzzles()
    assert len(all_puzzles) == 50
    selected = all_puzzles if whole else all_puzzles[3::4]  # one in twelve of these is not solved: a fair part
    solved = 0
    for game, _, threes in selected:
        assert threes >= 4
        slow = referee(game.position)
        assert not slow.fives(0)
        assert slow.by_fours(20) is None  # fours alone do not win
        analysis = ThreatKernel(GOMOKU).analyse(game.position, ticking(A_SECOND))
        if analysis.verdict.value == "win":
            assert analysis.verdict == Verdict("win", None, "exact")
            assert analysis.best
            solved += 1
        else:
            assert analysis == Analysis(UNKNOWN, ())
    assert solved >= 0.9 * len(selected)


def test_wins_by_threes_against_fours_of_the_defender_are_found() -> None:
    games = puzzles("gomoku_threes.txt")
    assert len(games) >= 10
    wins = 0
    for game, _, threes in games:
        assert threes >= 3
        wins += ThreatKernel(GOMOKU).analyse(game.position, ticking(A_SECOND // 2)).verdict.value == "win"
    assert wins >= len(games) - 1


@pytest.mark.search
def test_it_does_not_move_into_a_win_by_threes() -> None:
    """Before the last move of each game, the engine finds another one after which it sees no win of the opponent."""
    into_wins = 0
    games = puzzles("gomoku_threes.txt")[:6]
    for game, _, _ in games:
        before = replay(GOMOKU, game.moves[:-1])
        cell = ThreatKernel(GOMOKU).choose(before, ticking(A_SECOND), random.Random(1)).cell
        after = before.play(cell)
        into_wins += ThreatKernel(GOMOKU).analyse(after.position, ticking(A_SECOND // 4)).verdict.value == "win"
    assert into_wins <= 1
