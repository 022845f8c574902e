"""The defences to wins by continuous fours: none is missed or wrong, and the longest ones last as long as they say.

The slow referee of ``tests/support/gomoku_referee.py`` and a slow solver decide. Both try everything.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.defence import defend, longest_defence
from noughts.engine.threats.lines import board_of, open_lines, refuters
from noughts.rules.game import replay_names
from noughts.rules.notation import cell_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import CountingClock, endless, no_time, ticking
from tests.support.slow_solver import SlowSolver, board_text
from tests.support.threats import cases, four_search, gomoku_position, late_position, late_positions, marks_of, referee

GOMOKU, QUBIC = VARIANTS["gomoku"], VARIANTS["qubic"]
PLANE, CUBE = board_of(GOMOKU), board_of(QUBIC)
NAMES = cell_names(QUBIC.shape)


def cube_position(seed: int, marks: int) -> FamilyPosition | None:
    return late_position(QUBIC, random.Random(seed), 64 - marks)


# -- defences ----------------------------------------------------------------------------------------------------------


@pytest.mark.search
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(8, 24))
def test_the_holding_moves_in_the_cube_are_those_of_the_referee(seed: int, marks: int) -> None:
    position = cube_position(seed, marks)
    if position is None:
        return
    own, other = marks_of(position)
    mine, theirs = open_lines(CUBE, own, other), open_lines(CUBE, other, own)
    if mine.fours or theirs.fours:
        return
    search = four_search(QUBIC, ticking(100_000))
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


def test_out_of_nodes_the_remaining_moves_are_delays() -> None:
    case = next(case for case in cases("hold", "gomoku"))
    own, other = marks_of(case.position)
    whole = defend(four_search(GOMOKU, ticking(10_000)), own, other)
    assert whole.proved
    for limit in range(2, 60):
        try:
            defence = defend(four_search(GOMOKU, ticking(10_000)), own, other, limit=limit)
        except OutOfTimeError:
            continue  # the threat itself took more nodes
        if not defence.proved:
            assert whole.holding & ~(defence.holding | defence.delays) == 0
            break
    else:
        pytest.fail("no limit stopped the search between the threat and the last answer")


# -- the longest ones --------------------------------------------------------------------------------------------------


PLANES = (Variant("5x4", "", "", (5, 4), 4), Variant("6x4", "", "", (6, 4), 4), Variant("4x4x2", "", "", (4, 4, 2), 4))


def lost_positions(variant: Variant, count: int) -> list[FamilyPosition]:
    """Return the positions of ``count`` random ones that the side to move loses to continuous fours."""
    board = board_of(variant)
    lost = []
    for position in late_positions(variant, random.Random(variant.key), count):
        own, other = marks_of(position)
        blocks = open_lines(board, other, own).fours
        if open_lines(board, own, other).fours or blocks & (blocks - 1):
            continue
        defence = defend(four_search(variant, endless()), own, other)
        if defence.proved and not defence.holding:
            lost.append(position)
    return lost


def cells_of(mask: int) -> set[int]:
    return {cell for cell in range(mask.bit_length()) if mask >> cell & 1}


def lasting(position: FamilyPosition) -> tuple[set[int], int | None]:
    board = board_of(position.variant)
    own, other = marks_of(position)
    blocks = open_lines(board, other, own).fours
    moves, plies = longest_defence(four_search(position.variant, endless()), own, other, blocks)
    return cells_of(moves), plies


def test_its_plies_and_moves_are_those_of_a_search_of_everything() -> None:
    counts: dict[int, int] = {}
    unproved = 0
    for variant in PLANES:
        solver = SlowSolver(variant)
        for position in lost_positions(variant, 700):
            moves, plies = lasting(position)
            if plies is None:
                unproved += 1
                continue
            text = board_text(position)
            assert solver.worth(text) == (-1, plies)
            longest = {cell for cell in position.legal() if solver.after(text, cell)[1].plies == plies}
            assert moves <= longest
            assert moves
            counts[plies] = counts.get(plies, 0) + 1
    assert counts[4] > 20
    assert counts[6] > 0
    assert unproved < sum(counts.values()) / 5


LOST_IN_14 = (
    ("gomoku", "h8 g7 i7 k9 j5 j4 i5 m7 g8 i9 e7 g10 k7 m8 l10 d5 e3 e9 g4 n12 h5 m11 d8"),
    ("qubic", "a4.1 d1.2 a1.1 b1.3 b2.2 a4.3 c3.3 d4.4 d1.1 b4.3 b3.3"),
    (
        "qubic",
        "d1.4 b2.4 c2.3 c1.4 b3.2 a4.1 c3.3 a3.1 b2.2 d1.3 a1.1 d4.4 b1.2 "
        "c1.3 b2.1 b4.2 c4.3 c4.1 d4.1 c3.1 c1.1 d2.3 d1.1 b1.1 a1.4",
    ),
)
"""Positions that are lost in 14 plies, by a fourth four in a row of the defender.

A search of all replies that shares no code with the engine proved that.
"""


@pytest.mark.parametrize(("key", "moves"), LOST_IN_14)
def test_a_four_too_many_to_be_followed_leaves_the_plies_open(key: str, moves: str) -> None:
    """Without the fourth four, the loss would take 12 plies."""
    position = replay_names(VARIANTS[key], moves.split()).position
    assert isinstance(position, FamilyPosition)
    assert lasting(position)[1] is None


def test_without_time_it_names_the_cell_to_block_and_no_plies() -> None:
    """O threatens f1, and two other threes of O are open."""
    position = gomoku_position("X . O O O O . . .", ". . . . . . . . .", ". . O O O . . . .", ". . O O O . . . .")
    own, other = marks_of(position)
    search = four_search(VARIANTS["gomoku"], no_time())
    search.nodes = 1  # the next search reads the clock
    assert longest_defence(search, own, other, 1 << 6) == (1 << 6, None)
    assert longest_defence(search, own, other & ~(1 << 5), 0) == (0, None)


def test_where_a_defence_holds_it_proves_no_plies() -> None:
    """O has one open three: X stops it at once, after a four, or at last with two fours at once."""
    for first in (". . . . . . . . .", "O X X X . . . . ."):
        stopped = gomoku_position(first, "X X . . . . . . .", ". . O O O . . . .")
        own, other = marks_of(stopped)
        holding = defend(four_search(stopped.variant, endless()), own, other).holding
        assert lasting(stopped) == (cells_of(holding), None)
    moves, plies = lasting(gomoku_position(". . X X X . . . .", ". . . . . . . . .", ". . O O O . . . ."))
    assert moves
    assert plies is None


def test_a_time_that_ends_in_between_proves_no_other_plies() -> None:
    """After the first move was judged, the best so far is named."""
    position = gomoku_position(
        "O X X X . . . . .", ". . . . . . . . .", ". . O O O . . . .", ". . . . . . . . .", ". . O O O . . . ."
    )
    own, other = marks_of(position)
    proved = []
    for number in range(32):
        clock = CountingClock()
        search = four_search(position.variant, Budget(number, clock))  # the clock is read before each short search
        moves, plies = longest_defence(search, own, other, 0)
        assert plies in (None, 6)
        assert plies is None or moves == 1 << 4 | 1 << 5
        proved.append((bool(moves), plies))
    assert (True, None) in proved


def test_it_follows_three_fours_in_a_row_and_no_more() -> None:
    """X has four threes with one open end, each for a four that O must answer."""
    rows = [". . . . . . . . . . . . . . ."] * 13
    rows[0] = rows[12] = "O X X X . . . . . . . . X X X"
    rows[4] = rows[8] = ". . . . . . O O O . . . . . ."
    moves, plies = lasting(gomoku_position(*rows))
    assert moves <= {4, 5, 10, 11, 184, 185, 190, 191}
    assert moves
    assert plies is None
