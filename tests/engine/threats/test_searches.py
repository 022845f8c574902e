"""The compiled searches for threats: no win by fours is missed, none is wrong, and wins by threes stand against everything.

The slow referee of ``tests/support/gomoku_referee.py`` decides. It counts the marks in every row and tries every answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.compiled.program import Program, load
from noughts.engine.threats.lines import board_of, open_lines
from noughts.engine.threats.searches import FourSearch, Scope, Searches, ThreeSearch
from noughts.rules.game import Game, replay_names
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import CountingClock, endless, no_time, ticking
from tests.support.gomoku_referee import Refuted
from tests.support.threats import (
    cases,
    four_search,
    gomoku_position,
    late_position,
    marks_of,
    puzzles,
    referee,
    referee_win,
    scattered,
    three_search,
)

GOMOKU, QUBIC = VARIANTS["gomoku"], VARIANTS["qubic"]
PLANE, CUBE = board_of(GOMOKU), board_of(QUBIC)


# -- wins by fours -----------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([GOMOKU, QUBIC]), st.integers(0, 1 << 30), st.integers(6, 60))
def test_wins_by_fours_are_those_of_the_referee(variant: Variant, seed: int, marks: int) -> None:
    """Of at most five fours on the plane, and of any number in the cube."""
    is_plane = variant is GOMOKU
    position = scattered(seed, marks) if is_plane else late_position(QUBIC, random.Random(seed), 64 - marks % 35)
    if position is None:
        return
    slow, board = referee(position), board_of(variant)
    own, other = marks_of(position)
    mine, theirs = open_lines(board, own, other), open_lines(board, other, own)
    assert mine.fours == sum(1 << cell for cell in slow.fives(0))
    assert theirs.fours == sum(1 << cell for cell in slow.fives(1))
    if not mine.fours:
        most = 5 if is_plane else 32
        win = four_search(variant, ticking(10_000)).solve(own, other, mine.pairs, theirs.fours, most)
        assert (win is None) == (slow.by_fours(most) is None)
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
    search = four_search(GOMOKU, ticking(10_000))
    assert search.solve(*arguments, 4) is None
    win = search.solve(*arguments)
    assert win is not None
    assert len(win) == 5


def test_nodes_and_budget_stop_a_search() -> None:
    arguments = deep_case()
    with pytest.raises(OutOfTimeError):
        four_search(GOMOKU, ticking(10_000)).solve(*arguments, limit=2)
    search = four_search(GOMOKU, no_time())
    assert search.solve(*arguments) is not None  # the first search may find a short win with no time at all
    with pytest.raises(OutOfTimeError):
        search.solve(*arguments)


# -- wins by threes ----------------------------------------------------------------------------------------------------


def of(scope: Scope = Scope.FULL) -> ThreeSearch:
    return three_search(GOMOKU, ticking(1_000_000), scope=scope)


def longest_line(game: Game, scope: Scope = Scope.FULL) -> int:
    """Return the threes in the longest line of the win, after the referee has tried every legal answer."""
    return referee_win(game.position, of(scope))


@pytest.mark.parametrize("number", [3, 15, 24, 36])
def test_a_win_by_threes_stands_against_every_legal_answer(number: int) -> None:
    game, _, threes = puzzles()[number]
    assert longest_line(game) <= threes + 4


def test_the_referee_refutes_a_strategy_that_does_not_win() -> None:
    """So the tests above can fail."""
    game, best, _ = puzzles()[3]

    def another_move(attacker: frozenset[int], defender: frozenset[int]) -> int | None:
        return next(cell for cell in range(225) if cell not in attacker | defender | {best})

    with pytest.raises(Refuted):
        referee(game.position).check(another_move)


def test_a_win_by_fours_is_one_move_of_the_tree() -> None:
    """X makes an open four: no three is needed."""
    position = gomoku_position(". . . . . . .", ". . . . . . .", ". . . X X X . .", ". O . O . O . .")
    search = of()
    assert {bit.bit_length() - 1 for bit in search.solve(*marks_of(position))} <= {32, 36}
    assert search.expanded == 1


def test_a_line_that_must_be_blocked_limits_the_moves() -> None:
    """O has a four with one end free: only the block may win. With two free ends nothing does."""
    block = gomoku_position("X O O O O . .", ". . . . . . .", ". . X X . . .")
    assert of().solve(*marks_of(block), 2_000) in ([], [1 << 5])
    lost = gomoku_position(". O O O O . .", ". . . . . . .", ". . X X X . .")
    assert of().solve(*marks_of(lost)) == []


def test_no_win_is_found_where_there_is_none() -> None:
    position = gomoku_position("X . . . . O .", ". . . . . . .")
    search = of()
    assert search.solve(*marks_of(position), 200) == []
    assert search.expanded == 1  # the only node has no four and no three


def test_the_limit_and_the_budget_end_a_search() -> None:
    game, _, _ = puzzles()[3]
    own, other = marks_of(game.position)
    search = of()
    assert search.solve(own, other, 3) == []
    assert search.expanded == 3
    assert three_search(GOMOKU, no_time()).solve(own, other) == []
    first = search.solve(own, other)
    assert first  # the tree is kept, so the search goes on
    expanded = search.expanded
    assert search.solve(own, other) == first
    assert search.expanded == expanded


def test_a_search_for_fours_that_runs_out_of_nodes_claims_no_win() -> None:
    """With one node for each search for fours the tree needs its own moves, and its wins are still right."""
    game, _, _ = puzzles()[3]
    own, other = marks_of(game.position)
    search = three_search(GOMOKU, ticking(1_000_000), four_limit=1)
    exact = set(of().solve(own, other))
    assert set(search.solve(own, other, 3_000)) <= exact


@pytest.mark.parametrize(
    "moves",
    [
        "h10 j8 i6 i8 h8 h9 g9 j7 g10 j6 j5 l5 k6 l8",
        "j9 g10 f8 i10 g7 d10 h8 j10 h10 f10",
        "g9 g8 i8 f9 h7 f7 h9 f8 f10 h8 g10 f11 i7 g7",
    ],
)
@pytest.mark.parametrize("scope", Scope)
def test_an_attack_goes_on_after_a_four_of_the_defender(moves: str, scope: Scope) -> None:
    """Each line holds a four of the defender whose forced answer is neither a four nor a three."""
    game = replay_names(GOMOKU, moves.split())
    search = of(scope)
    assert search.solve(*marks_of(game.position))
    assert search.expanded < 1_000
    assert longest_line(game, scope) >= 2


# -- the program -------------------------------------------------------------------------------------------------------


def win(search: FourSearch, own: int, other: int, limit: int) -> object:
    """Return the win, None without one, and "stopped" if the nodes are spent."""
    mine, theirs = open_lines(search.board, own, other), open_lines(search.board, other, own)
    try:
        return search.solve(own, other, mine.pairs, theirs.fours, limit=limit)
    except OutOfTimeError:
        return "stopped"


def test_a_search_keeps_its_tree_until_another_one_runs() -> None:
    searches = Searches(GOMOKU)
    own, other = marks_of(puzzles()[3][0].position)
    one, another = searches.threes(endless()), searches.threes(endless())
    moves = one.solve(own, other)
    expanded = one.expanded
    assert one.solve(own, other) == moves
    assert one.expanded == expanded  # the tree has the proof
    assert another.solve(own, other) == moves
    assert another.expanded == expanded
    assert one.solve(own, other) == moves
    assert one.expanded == expanded  # it began again


@pytest.mark.parametrize("counts", [False, True])
def test_short_searches_end_with_the_budget_too(counts: bool) -> None:
    """A defence makes thousands of them. A clock that counts its readings is read by the program alone."""
    (case,) = cases("win", "gomoku")[:1]
    own, other = marks_of(case.position)
    clock = CountingClock()
    search = Searches(GOMOKU).fours(Budget(0.0, clock, counts_readings=counts))
    assert win(search, own, other, 1 << 40) not in (None, "stopped")  # the first one is always made
    assert (win(search, own, other, 1 << 40) == "stopped") is not counts
    assert (clock.readings == 0) is counts


def test_without_pairs_or_against_two_lines_nothing_is_searched() -> None:
    search = Searches(GOMOKU).fours(endless())
    assert search.solve(0b1, 0b110, [], 0) is None
    assert search.solve(0b1, 0b110, [0b11000], 0b1100000) is None
    assert search.nodes == 0


@pytest.mark.parametrize(
    "variant",
    [
        Variant("19x19", "Nineteen", "Five in a line wins.", (19, 19), 5),
        Variant("9x9", "Nine", "Seven in a line wins.", (9, 9), 7),
        Variant("7x7x6", "Box", "Four in a line wins.", (7, 7, 6), 4),
    ],
    ids=lambda variant: variant.key,
)
def test_a_board_beyond_the_programs_is_rejected(variant: Variant) -> None:
    with pytest.raises(ValueError, match="no room for the board"):
        Searches(variant)


class WithoutMemory:
    """A program whose ``begin`` finds no memory for its tables."""

    def __init__(self, name: str) -> None:
        program = load(name)
        self.write = program.write
        self.read = program.read
        self.stop_when = program.stop_when
        self._function = program.function

    def function(self, name: str) -> Callable[..., int]:
        return (lambda *arguments: 0) if name == "begin" else self._function(name)


def test_without_memory_for_its_tables_no_search_begins() -> None:
    searches = Searches(GOMOKU, cast("Callable[[str], Program]", WithoutMemory))
    own, other = marks_of(cases("win", "gomoku")[0].position)
    with pytest.raises(MemoryError, match="tables of a threat search"):
        win(searches.fours(endless()), own, other, 1 << 40)
    with pytest.raises(MemoryError, match="tables of a threat search"):
        searches.threes(endless()).solve(own, other)
    with pytest.raises(MemoryError, match="tables of an alpha-beta search"):
        searches.alpha_beta(own, other, endless())
