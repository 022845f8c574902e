"""Wins by continuous fours and the defences to them: none is missed, none is wrong.

The slow referee of ``tools/gomoku_referee.py`` decides. It counts the marks in every row and tries every answer.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.engine.budget import OutOfTimeError
from noughts.engine.threats.fours import (
    Defence,
    FourSearch,
    bits,
    board_of,
    completions,
    defend,
    neighbours,
    open_lines,
    refuters,
)
from noughts.rules.notation import cell_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS
from tests.support.budgets import no_time, ticking
from tests.support.threats import (
    cases,
    gomoku_position,
    late_position,
    marks_of,
    referee,
    scattered,
    shortest_by_fours,
)
from tools.gomoku_referee import rows_of_board

GOMOKU, QUBIC = VARIANTS["gomoku"], VARIANTS["qubic"]
PLANE, CUBE = board_of(GOMOKU), board_of(QUBIC)
NAMES = cell_names(QUBIC.shape)


def cube_position(seed: int, marks: int) -> FamilyPosition | None:
    return late_position(QUBIC, random.Random(seed), 64 - marks)


# -- lines -------------------------------------------------------------------------------------------------------------


def test_the_cube_has_the_76_lines_of_the_referee() -> None:
    assert len(CUBE.lines) == 76
    assert {sum(1 << cell for cell in row) for row in rows_of_board(4, 4, 4, 4)} == set(CUBE.lines)


def test_open_lines_are_grouped_by_the_cells_that_they_lack() -> None:
    """In the top row of 15x15: X on a1, b1, c1, d1; O on f1."""
    mine = open_lines(PLANE, 0b1111, 1 << 5)
    assert mine.fours == 1 << 4
    assert all(pair.bit_count() == 2 for pair in mine.pairs)
    assert all(triple.bit_count() == 3 for triple in mine.triples)
    assert open_lines(PLANE, 0, 0b1111) == (0, [], [])


def test_bits_and_neighbours() -> None:
    assert bits(0b1011000) == [0b1000, 0b10000, 0b1000000]
    assert bits(0) == []
    assert neighbours([0b11, 0b101]) == {0b1: 0b110, 0b10: 0b1, 0b100: 0b1}


def test_completions_are_the_cells_that_complete_a_line_through_a_mark() -> None:
    assert completions(PLANE, 0b1000, 0b1111, 0) == 1 << 4
    assert completions(PLANE, 0b1000, 0b1111, 1 << 4) == 0
    assert completions(PLANE, 1 << 4, 0b11110, 0) == 0b100001  # open at both ends


# -- wins --------------------------------------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(8, 60))
def test_fours_on_the_plane_are_those_of_the_referee(seed: int, marks: int) -> None:
    position = scattered(seed, marks)
    slow = referee(position)
    own, other = marks_of(position)
    mine, theirs = open_lines(PLANE, own, other), open_lines(PLANE, other, own)
    assert mine.fours == sum(1 << cell for cell in slow.fives(0))
    assert theirs.fours == sum(1 << cell for cell in slow.fives(1))
    if not mine.fours:
        win = FourSearch(PLANE, ticking(10_000)).solve(own, other, mine.pairs, theirs.fours, 5)
        assert (None if win is None else 2 * len(win) + 1) == shortest_by_fours(position, 5)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(6, 34))
def test_fours_in_the_cube_are_those_of_the_referee(seed: int, marks: int) -> None:
    position = cube_position(seed, marks)
    if position is None:
        return
    slow = referee(position)
    own, other = marks_of(position)
    mine, theirs = open_lines(CUBE, own, other), open_lines(CUBE, other, own)
    assert mine.fours == sum(1 << cell for cell in slow.fives(0))
    if not mine.fours:
        win = FourSearch(CUBE, ticking(10_000)).solve(own, other, mine.pairs, theirs.fours)
        assert (win is None) == (slow.by_fours(32) is None)
        if win is not None:
            assert slow.by_fours(len(win)) is not None
            assert slow.by_fours(len(win) - 1) is None


def deep_case() -> tuple[int, int, list[int], int]:
    """Return the arguments of a search for a win in eleven plies."""
    case = next(case for case in cases("win", "gomoku") if case.plies == 11)
    own, other = marks_of(case.position)
    return own, other, open_lines(PLANE, own, other).pairs, open_lines(PLANE, other, own).fours


def test_a_win_beyond_the_depth_is_not_found() -> None:
    arguments = deep_case()
    search = FourSearch(PLANE, ticking(10_000))
    assert search.solve(*arguments, 4) is None
    win = search.solve(*arguments)
    assert win is not None
    assert len(win) == 5


def test_the_table_of_failures_may_be_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.engine.threats.fours.FAILURES_LIMIT", 0)
    arguments = deep_case()
    search = FourSearch(PLANE, ticking(10_000))
    assert search.solve(*arguments, 4) is None
    assert search.solve(*arguments) is not None


def test_nodes_and_budget_stop_a_search() -> None:
    arguments = deep_case()
    with pytest.raises(OutOfTimeError):
        FourSearch(PLANE, ticking(10_000)).solve(*arguments, limit=2)
    stopped = 0
    for case in cases("win", "gomoku"):
        own, other = marks_of(case.position)
        pairs, blocks = open_lines(PLANE, own, other).pairs, open_lines(PLANE, other, own).fours
        try:
            FourSearch(PLANE, no_time()).solve(own, other, pairs, blocks)
        except OutOfTimeError:
            stopped += 1
    assert stopped > 0


def test_two_lines_of_the_opponent_cannot_both_be_blocked() -> None:
    assert FourSearch(PLANE, ticking(10)).solve(0b1, 0b110, [0b11000], 0b1100000) is None


# -- defences ----------------------------------------------------------------------------------------------------------


@pytest.mark.search
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(8, 24))
def test_the_holding_moves_in_the_cube_are_those_of_the_referee(seed: int, marks: int) -> None:
    position = cube_position(seed, marks)
    if position is None:
        return
    own, other = marks_of(position)
    mine, theirs = open_lines(CUBE, own, other), open_lines(CUBE, other, own)
    if mine.fours or theirs.fours:
        return
    search = FourSearch(CUBE, ticking(100_000))
    win = search.solve(other, own, theirs.pairs, 0)
    defence = defend(search, own, other)
    assert defence.threat == (win is not None)
    if win is None:
        return
    slow = referee(position, attacker_moves=False)
    candidates = refuters(CUBE, other, own, win, mine.pairs)
    for cell in position.legal():
        # All cells are tried, because the cells that the search leaves out must lose. Fours of the defender, which
        # delay the answer, are in the committed positions.
        if cell in slow.fours(1):
            continue
        holds = slow.holds(cell)
        assert holds == bool(defence.holding >> cell & 1), NAMES[cell]
        if holds:
            assert candidates >> cell & 1


def defence_of(position: FamilyPosition, depth: int = 4) -> Defence:
    own, other = marks_of(position)
    return defend(FourSearch(PLANE, ticking(10_000)), own, other, depth)


def test_a_line_that_lacks_one_cell_is_blocked_there() -> None:
    position = gomoku_position(". . . . . . .", ". X O O O O .")
    assert defence_of(position) == Defence(True, 1 << 21, 0, True)


def test_two_lines_that_lack_one_cell_cannot_be_defended() -> None:
    position = gomoku_position(". . . . . . .", ". . O O O O .")
    assert defence_of(position) == Defence(True, 0, 0, True)


def test_without_a_threat_every_move_holds() -> None:
    position = gomoku_position(". . . . . . .", ". . X O . . .")
    own, other = marks_of(position)
    assert defence_of(position) == Defence(False, PLANE.full & ~(own | other), 0, True)


OPEN_THREE = (". . . . . . . . .", ". . . O O O . . .", ". . . . . . . . .", ". . . . . . . . .")


def test_two_fours_at_once_are_a_defence() -> None:
    """X has three in a column that is open at both ends, away from O's open three."""
    column = ["X . . . . . . . ."] * 3
    position = gomoku_position(". . . . . . . . .", *column, OPEN_THREE[1], ". . . . . . . . .")
    defence = defence_of(position)
    assert defence.threat
    # a5 makes a row of four with a1 and a6 free.
    assert defence.holding >> (4 * 15) & 1


def test_a_four_delays_the_decision_beyond_the_depth() -> None:
    """X's row of three is blocked at one end: its fours force an answer, after which O's three is still open."""
    rows = (". . . . . . . . . . . . .", "O X X X . . . . . . . . .", ". . . . . . . . . . . . .")
    position = gomoku_position(*rows, ". . . . . . O O O . . . .", ". . . . . . . . . . . . .")
    shallow, deep = defence_of(position, 0), defence_of(position)
    four = 1 << 15 + 4
    assert shallow.delays & four
    assert not shallow.proved
    assert not deep.delays & four
    assert deep.holding


def test_out_of_nodes_the_remaining_moves_are_delays() -> None:
    case = next(case for case in cases("hold", "gomoku"))
    own, other = marks_of(case.position)
    whole = defend(FourSearch(PLANE, ticking(10_000)), own, other)
    assert whole.proved
    for limit in range(2, 60):
        try:
            defence = defend(FourSearch(PLANE, ticking(10_000)), own, other, limit=limit)
        except OutOfTimeError:
            continue  # the threat itself took more nodes
        if not defence.proved:
            assert whole.holding & ~(defence.holding | defence.delays) == 0
            break
    else:
        pytest.fail("no limit stopped the search between the threat and the last answer")
