"""Qubic: no win by continuous fours is missed, nor a defence to one, however long; and no verdict is wrong.

The judge is the slow referee of ``tools/gomoku_referee.py``, which makes its own table of the 76 rows.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.engine.threats.fours import FourSearch, board_of, defend, lacks, refuters
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant
from tests.engine.threats import (
    cases,
    check_against_everything,
    late_position,
    looks,
    no_time,
    referee,
    shortest_by_fours,
    wins_by_fours_after,
)
from tools.gomoku_referee import all_rows

QUBIC = VARIANTS["qubic"]
NAMES = cell_names(QUBIC.shape)
BOARD = board_of(QUBIC)
KERNEL = QubicKernel(QUBIC)


def test_the_board_has_76_lines_the_same_that_the_referee_counts():
    assert len(BOARD.lines) == 76
    rows = {sum(1 << cell for cell in row) for row in all_rows(4, 4, 4, 4)}
    assert rows == set(BOARD.lines)


@pytest.mark.parametrize("budget", [no_time, lambda: looks(3), lambda: looks(300)])
def test_a_line_is_completed_and_the_other_side_stopped_even_with_no_time(budget):
    rng = random.Random(1)
    win = replay_names(QUBIC, ["a1.1", "b1.1", "b2.2", "c2.1", "c3.3", "d2.2"]).position
    assert KERNEL.choose(win, budget(), rng) == (NAMES.index("d4.4"), Verdict("win", 1, "exact"))
    block = replay_names(QUBIC, ["a1.1", "b1.1", "b2.2", "c2.1", "c3.3"]).position
    assert KERNEL.choose(block, budget(), rng).cell == NAMES.index("d4.4")


def test_an_empty_board_is_opened_where_seven_lines_meet():
    choice = KERNEL.choose(new_game(QUBIC).position, looks(100), random.Random(1))
    assert len(BOARD.through[1 << choice.cell]) == 7
    assert choice.verdict == UNKNOWN


@pytest.mark.parametrize("plies", [3, 5, 7, 9, 11])
def test_every_win_by_continuous_fours_is_found(plies):
    found = [case for case in cases("win", "qubic") if case.plies == plies]
    assert len(found) >= 10
    for case in found:
        assert shortest_by_fours(case.position, 5) == plies
        analysis = KERNEL.analyse(case.position, looks(500))
        assert analysis.verdict == Verdict("win", plies if plies <= 5 else None, "exact")
        assert analysis.best
        for cell in analysis.best:
            assert wins_by_fours_after(case.position, cell, plies // 2), NAMES[cell]
        assert KERNEL.choose(case.position, looks(500), random.Random(1)).cell in analysis.best


def test_every_defence_to_continuous_fours_is_found():
    found = cases("hold", "qubic")
    assert len(found) >= 20
    assert sum(len(case.holding) == 1 for case in found) >= 3
    for case in found:
        slow = referee(case.position, attacker_moves=False)
        assert slow.by_fours(30) is not None  # it is a threat
        assert all(slow.holds(cell) for cell in case.holding)
        choice = KERNEL.choose(case.position, looks(500), random.Random(1))
        assert choice.cell in case.holding
        assert choice.verdict.value != "win"


def scattered(seed: int, marks: int) -> FamilyPosition | None:
    return late_position(QUBIC, random.Random(seed), 64 - marks)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(6, 34))
def test_fours_are_found_exactly_where_the_referee_finds_them(seed, marks):
    position = scattered(seed, marks)
    if position is None:
        return
    slow = referee(position)
    own, other = (position.o, position.x) if position.turn == "O" else (position.x, position.o)
    mine, theirs = lacks(BOARD, own, other), lacks(BOARD, other, own)
    assert mine.fours == sum(1 << cell for cell in slow.fives(0))
    if not mine.fours:
        win = FourSearch(BOARD, looks(10_000)).solve(own, other, mine.pairs, theirs.fours)
        slow_win = slow.by_fours(32)
        assert (win is None) == (slow_win is None)
        if win is not None:
            assert slow.by_fours(len(win)) is not None
            assert slow.by_fours(len(win) - 1) is None


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(8, 24))
def test_the_moves_said_to_hold_are_exactly_those_that_the_referee_holds_with(seed, marks):
    position = scattered(seed, marks)
    if position is None:
        return
    own, other = (position.o, position.x) if position.turn == "O" else (position.x, position.o)
    mine, theirs = lacks(BOARD, own, other), lacks(BOARD, other, own)
    if mine.fours or theirs.fours:
        return
    search = FourSearch(BOARD, looks(100_000))
    win = search.solve(other, own, theirs.pairs, 0)
    defence = defend(search, own, other)
    assert defence.threat == (win is not None)
    if win is None:
        return
    slow = referee(position, attacker_moves=False)
    spoil = refuters(BOARD, other, own, win)
    for cell in position.legal():
        # The whole board, not the few cells that the search looks at: what it leaves out must lose. (Fours of one's
        # own, which put the question off, are in the committed positions.)
        if cell in slow.fours(1):
            continue
        holds = slow.holds(cell)
        assert holds == bool(defence.holding >> cell & 1), NAMES[cell]
        if holds:
            assert spoil >> cell & 1


def test_no_verdict_on_small_boards_is_wrong():
    rng = random.Random(21)
    total = {"win": 0, "draw": 0, "loss": 0, "unknown": 0}
    for shape, length in [((3, 3, 3), 3), ((4, 4, 2), 4), ((4, 3, 2), 3)]:
        variant = Variant(f"small-{shape}", "", "", shape, length)
        made = (late_position(variant, rng, rng.randrange(4, 11)) for _ in range(140))
        for value, number in check_against_everything(QubicKernel(variant), [p for p in made if p]).items():
            total[value] += number
    assert total["win"] > 30
    assert total["draw"] > 5
    assert total["loss"] > 5
    assert total["unknown"] == 0


def test_a_nearly_full_cube_is_solved_to_the_end():
    rng = random.Random(3)
    made = [position for position in (late_position(QUBIC, rng, 9) for _ in range(2000)) if position]
    assert len(made) > 5
    seen = check_against_everything(KERNEL, made)
    assert seen["unknown"] == 0


def test_it_beats_a_player_who_only_completes_and_blocks():
    wins = 0
    for number in range(4):
        rng = random.Random(number)
        game = new_game(QUBIC)
        engine = "X" if number % 2 else "O"
        while game.outcome is None:
            if game.position.turn == engine:
                cell = KERNEL.choose(game.position, looks(60), rng).cell
            else:
                slow = referee(game.position)
                cell = min(slow.fives(0), default=min(slow.fives(1), default=rng.choice(game.legal())))
            game = game.play(cell)
        wins += game.outcome.winner == engine
    assert wins == 4


def test_the_same_budget_and_seed_give_the_same_move():
    for seed in range(6):
        position = scattered(seed, 12)
        if position is None:
            continue
        first = QubicKernel(QUBIC).choose(position, looks(80), random.Random(seed))
        assert QubicKernel(QUBIC).choose(position, looks(80), random.Random(seed)) == first
