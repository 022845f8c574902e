"""The longest defence against a win by fours: compared with a search of everything, and honest when the time ends."""

from __future__ import annotations

import random

import pytest

from noughts.engine.threats.fours import FourSearch, board_of, defend, open_lines
from noughts.engine.threats.last_stand import last_stand
from noughts.rules.game import replay_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless, no_time, readings
from tests.support.slow_solver import SlowSolver, board_text
from tests.support.threats import gomoku_position, late_positions, marks_of

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
        defence = defend(FourSearch(board, endless()), own, other)
        if defence.proved and not defence.holding:
            lost.append(position)
    return lost


def cells_of(mask: int) -> set[int]:
    return {cell for cell in range(mask.bit_length()) if mask >> cell & 1}


def stand(position: FamilyPosition) -> tuple[set[int], int | None]:
    board = board_of(position.variant)
    own, other = marks_of(position)
    blocks = open_lines(board, other, own).fours
    moves, plies = last_stand(FourSearch(board, endless()), own, other, blocks)
    return cells_of(moves), plies


def test_its_plies_and_moves_are_those_of_a_search_of_everything() -> None:
    counts: dict[int, int] = {}
    unproved = 0
    for variant in PLANES:
        solver = SlowSolver(variant)
        for position in lost_positions(variant, 700):
            moves, plies = stand(position)
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


def test_a_four_of_its_own_makes_it_last_longer() -> None:
    """O has two open threes. X's three with one open end makes a four, and only that one costs O a move."""
    position = gomoku_position(
        "O X X X . . . . .", ". . . . . . . . .", ". . O O O . . . .", ". . . . . . . . .", ". . O O O . . . ."
    )
    moves, plies = stand(position)
    assert moves == {4, 5}
    assert plies == 6


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
    assert stand(position)[1] is None


def test_without_time_it_names_the_cell_to_block_and_no_plies() -> None:
    """O threatens f1, and two other threes of O are open."""
    position = gomoku_position("X . O O O O . . .", ". . . . . . . . .", ". . O O O . . . .", ". . O O O . . . .")
    own, other = marks_of(position)
    search = FourSearch(board_of(VARIANTS["gomoku"]), no_time())
    search.nodes = 31  # the next node looks at the clock
    assert last_stand(search, own, other, 1 << 6) == (1 << 6, None)
    search.nodes = 31
    assert last_stand(search, own, other & ~(1 << 5), 0) == (0, None)


def test_against_no_threat_every_move_holds() -> None:
    position = gomoku_position("X X . . . . . . .", ". . . . . . . . .", ". . O . O . . . .")
    assert stand(position) == (set(position.legal()), None)


def test_where_a_defence_holds_it_proves_no_plies() -> None:
    """O has one open three: X stops it at once, after a four, or at last with two fours at once."""
    for first in (". . . . . . . . .", "O X X X . . . . ."):
        stopped = gomoku_position(first, "X X . . . . . . .", ". . O O O . . . .")
        own, other = marks_of(stopped)
        holding = defend(FourSearch(board_of(stopped.variant), endless()), own, other).holding
        assert stand(stopped) == (cells_of(holding), None)
    moves, plies = stand(gomoku_position(". . X X X . . . .", ". . . . . . . . .", ". . O O O . . . ."))
    assert moves
    assert plies is None


def test_a_four_that_makes_the_opponent_complete_its_own_proves_nothing() -> None:
    """X's four at e1 is answered at f1, which makes four of O in a column: X blocks it, and O has nothing left."""
    position = gomoku_position(
        "O X X X . . . . .", ". . . . . O . . .", ". . . . . O . . .", ". . . . . O . . .", ". . . . . . . . ."
    )
    moves, plies = stand(position)
    assert moves
    assert plies is None


def test_a_time_that_ends_in_between_proves_no_other_plies() -> None:
    """After the first move was judged, the best so far is named."""
    position = gomoku_position(
        "O X X X . . . . .", ". . . . . . . . .", ". . O O O . . . .", ". . . . . . . . .", ". . O O O . . . ."
    )
    board = board_of(position.variant)
    own, other = marks_of(position)
    proved = []
    for nodes in range(32):
        search = FourSearch(board, readings(0))
        search.nodes = nodes  # the clock is read at node 32, and no time is left then
        moves, plies = last_stand(search, own, other, 0)
        assert plies in (None, 6)
        assert plies is None or moves == 1 << 4 | 1 << 5
        proved.append((bool(moves), plies))
    assert (True, None) in proved


def test_it_follows_three_fours_in_a_row_and_no_more() -> None:
    """X has four threes with one open end, each for a four that O must answer."""
    rows = [". . . . . . . . . . . . . . ."] * 13
    rows[0] = rows[12] = "O X X X . . . . . . . . X X X"
    rows[4] = rows[8] = ". . . . . . O O O . . . . . ."
    moves, plies = stand(gomoku_position(*rows))
    assert moves <= {4, 5, 10, 11, 184, 185, 190, 191}
    assert moves
    assert plies is None
