"""The kernel of threats: its steps in their order, honest verdicts, and its budget."""

from __future__ import annotations

import random
from functools import partial

import pytest

from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.lines import board_of, open_lines
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.rules.game import new_game, replay_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant, lines
from tests.support.budgets import TOLERANCE_S, endless, no_time, overrun_s, ticking
from tests.support.engine_games import game_at
from tests.support.five_by_five import random_position
from tests.support.threats import (
    cases,
    gomoku_position,
    marks_of,
    puzzles,
    referee_win,
    three_search,
)

GOMOKU, QUBIC = VARIANTS["gomoku"], VARIANTS["qubic"]
BOARD = board_of(GOMOKU)
KERNEL = ThreatKernel(GOMOKU)


@pytest.mark.parametrize(
    ("variant", "cells"),
    [
        (GOMOKU, {112}),
        (QUBIC, {0, 3, 12, 15, 21, 22, 25, 26, 37, 38, 41, 42, 48, 51, 60, 63}),
        (Variant("6x6", "", "", (6, 6), 5), {14, 15, 20, 21}),
    ],
    ids=lambda value: getattr(value, "key", None),
)
def test_it_opens_where_the_most_lines_meet_nearest_to_the_middle(variant: Variant, cells: set[int]) -> None:
    kernel = ThreatKernel(variant)
    assert kernel.variant is variant
    for seed in range(10):
        choice = kernel.choose(new_game(variant), no_time(), random.Random(seed))
        assert choice.verdict == UNKNOWN
        assert choice.cell in cells


@pytest.mark.search
def test_any_budget_gives_a_right_verdict_or_none(whole: bool) -> None:
    """The budget ends in each of the steps. The committed wins, defences and endings are known."""
    rng = random.Random(6)
    wins = [case.position for case in cases("win", "gomoku")[:: 2 if whole else 6]]
    for position in wins:
        for number in range(0, 40, 7):
            verdict = KERNEL.analyse(position, ticking(number)).verdict
            assert verdict.value in ("win", "unknown")
    for case in cases("hold", "gomoku")[:: 4 if whole else 12]:
        for number in range(0, 200, 17):
            choice = KERNEL.choose(game_at(case.position), ticking(number), rng)
            assert choice.cell in case.position.legal()
            assert choice.verdict.value != "draw"
            if choice.verdict.value == "win":  # the side that must defend may still win by fours and threes of its own
                assert referee_win(case.position, three_search(GOMOKU, endless()))
    for position in wins:
        exchanged = FamilyPosition(GOMOKU, position.x, position.o, position.ply + 1)
        for number in range(1, 12, 2):
            assert KERNEL.analyse(exchanged, ticking(number)).verdict.value in ("win", "loss", "unknown")
    small = VARIANTS["5x5"]
    for position in (random_position(10, random.Random(seed)) for seed in range(12 if whole else 4)):
        exact = FiveByFiveKernel(small).analyse(position, endless()).verdict
        for number in range(1, 20, 4):
            assert ThreatKernel(small).analyse(position, ticking(number)).verdict.value in (exact.value, "unknown")


def test_a_board_without_an_open_line_is_drawn() -> None:
    """Two by two blocks in turn: neither side has a line of five without the opponent's marks."""
    x = o = 0
    for cell in range(225):
        row, column = divmod(cell, 15)
        if (row, column) in {(0, 0), (7, 7), (14, 3)}:
            continue
        if (row + 2 * column) % 4 < 2:
            x |= 1 << cell
        else:
            o |= 1 << cell
    position = FamilyPosition(GOMOKU, x, o, 222)
    assert not any(line & x == line or line & o == line for line in lines(GOMOKU.shape, 5))
    assert KERNEL.analyse(position, ticking(10)) == Analysis(Verdict("draw", None, "exact"), position.legal(), True)


def test_a_lost_position_gets_a_move_that_delays() -> None:
    """O has an open four in two plies that no move stops: the kernel plays one of the cells of the fours."""
    rows = [". . . . . . . . .", ". . O O O . . . .", ". . . . . . . . .", ". . O O O . . . .", ". . . . . . . . ."]
    position = gomoku_position(*rows)
    verdict, best, _ = KERNEL.analyse(position, ticking(3_000))
    assert verdict == Verdict("loss", 4, "exact")
    assert best == position.legal()
    pairs = open_lines(BOARD, position.o, position.x).pairs
    cells = {cell for pair in pairs for cell in range(225) if pair >> cell & 1}
    assert KERNEL.choose(game_at(position), ticking(3_000), random.Random(1)).cell in cells


@pytest.mark.search
def test_a_win_of_the_opponent_by_threes_is_stopped(whole: bool) -> None:
    """Before each puzzle the opponent is to move: its move must leave the attacker without the win."""
    stopped = 0
    selected = puzzles()[: 8 if whole else 3]
    for game, _, _ in selected:
        position = game.position
        opponent_to_move = FamilyPosition(GOMOKU, position.x, position.o, position.ply + 1)
        choice = KERNEL.choose(game_at(opponent_to_move), ticking(1000), random.Random(1))
        after = opponent_to_move.play(choice.cell)
        own, other = marks_of(after)
        search = three_search(GOMOKU, ticking(600))
        stopped += not open_lines(BOARD, own, other).fours and not search.solve(own, other)
    assert stopped >= 0.75 * len(selected)


# -- budgets -----------------------------------------------------------------------------------------------------------


MANY_FOURS = (
    (
        "gomoku",
        "h8 h7 g7 f6 f8 g8 e9 h6 i6 d10 e10 e7 f10 e11 f11 f12 c9 d9 d8 g11 g10 h10 i9 h9 f7 f9 k11 j10 i7 i8 j6 g9 l4 k5 "
        "c7 b6 g6 g13 h14 h5 j5 h4 h3 i3 g5 j4 l6 k6 l5 g4 f4 k4 i4 l7 k7 k3 k2 l2 i5 l8 j8 m5 k9 l10 k10 k8 l9 j9 k12 k13 "
        "m6 j12 i11 j11 j13 e13 d14 h11 i10 d13 f13 i14 e5 d6 c6 c8 g2 f1 d5 e4 c5 f5 h2 d12 d11 e12",
    ),
    ("qubic", "a4.1 b3.3 c2.3 b3.2 c3.2 b2.2 b2.3 c3.3 c2.2"),
)
"""Positions in which a defence can begin with many fours. A compiled search of them took up to 0.8 s too long."""


@pytest.mark.search
@pytest.mark.parametrize(("key", "moves"), MANY_FOURS, ids=["gomoku", "qubic"])
@pytest.mark.parametrize("budget_s", [0.0, 0.1])
def test_a_defence_with_many_fours_does_not_outlive_its_budget(key: str, moves: str, budget_s: float) -> None:
    kernel, position = ThreatKernel(VARIANTS[key]), replay_names(VARIANTS[key], moves.split()).position
    assert overrun_s(partial(kernel.analyse, position), budget_s) <= TOLERANCE_S


@pytest.mark.parametrize("key", ["misere", "vanishing", "four-in-a-row", "ultimate"])
def test_a_variant_that_is_won_in_another_way_is_rejected(key: str) -> None:
    with pytest.raises(ValueError, match="filling a line"):
        ThreatKernel(VARIANTS[key])
