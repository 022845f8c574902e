"""The compiled searches for fours and threes: the same wins, nodes and looks at the clock as in plain Python."""

from __future__ import annotations

import random

import pytest

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.threats.compiled_threats import PROGRAM, CompiledSearches, fits
from noughts.engine.threats.fours import FourSearch, WinsByFours, board_of, open_lines
from noughts.engine.threats.threes import Scope, ThreeSearch
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import TOLERANCE_S, CountingClock, endless, no_time, overrun_s
from tests.support.compiled_programs import WithoutMemory, loaded
from tests.support.engine_games import random_game
from tests.support.threats import cases, marks_of, puzzles

GOMOKU = VARIANTS["gomoku"]
LONG_LINE = Variant("10x9", "Ten by nine", "Six in a line wins.", (10, 9), 6)


def compiled(variant: Variant) -> CompiledSearches:
    """Return the searches of a variant in a program of their own."""
    return CompiledSearches(loaded(PROGRAM), board_of(variant))


def positions(variant: Variant, number: int, rng: random.Random) -> list[Position]:
    """Return committed positions, if there are any, and random ones in which the side to move completes no line."""
    committed = [case.position for kind in ("win", "hold") for case in cases(kind, variant.key)]
    chosen = rng.sample(committed, min(number, len(committed)))
    while len(chosen) < 2 * number:
        game = random_game(variant, rng.randrange(8, 40), rng)
        if game.outcome is None:
            chosen.append(game.position)
    return [position for position in chosen if not open_lines(board_of(variant), *marks_of(position)).fours]


def win(search: WinsByFours, own: int, other: int, limit: int) -> object:
    """Return the win, None without one, and "stopped" if the nodes are spent."""
    mine, theirs = open_lines(search.board, own, other), open_lines(search.board, other, own)
    try:
        return search.solve(own, other, mine.pairs, theirs.fours, limit=limit)
    except OutOfTimeError:
        return "stopped"


@pytest.mark.parametrize("variant", [GOMOKU, VARIANTS["qubic"], LONG_LINE], ids=lambda variant: variant.key)
def test_wins_by_fours_are_those_of_plain_python(variant: Variant) -> None:
    searches = compiled(variant)
    for position in positions(variant, 12, random.Random(1)):
        own, other = marks_of(position)
        for limit in (3, 1_000):
            plain, fast = FourSearch(board_of(variant), endless()), searches.fours(endless())
            assert win(fast, own, other, limit) == win(plain, own, other, limit)
            assert fast.nodes == plain.nodes
            assert win(fast, own, other, limit) == win(plain, own, other, limit)  # with the table of failures
            assert fast.nodes == plain.nodes


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("variant", [GOMOKU, VARIANTS["qubic"], LONG_LINE], ids=lambda variant: variant.key)
def test_wins_by_threes_are_those_of_plain_python(variant: Variant, scope: Scope) -> None:
    """Each expands as many positions, and reads a clock that counts its readings as often."""
    searches = compiled(variant)
    for position in positions(variant, 5, random.Random(2)):
        own, other = marks_of(position)
        for ticks in (3, 1_000):
            clocks = CountingClock(), CountingClock()
            budgets = [Budget(ticks, clock, counts_readings=True) for clock in clocks]
            plain = ThreeSearch(variant, budgets[0], scope=scope)
            fast = searches.threes(budgets[1], scope=scope)
            assert fast.solve(own, other, 60) == plain.solve(own, other, 60)
            assert fast.expanded == plain.expanded
            assert clocks[0].readings == clocks[1].readings


def test_puzzles_are_solved_like_in_plain_python() -> None:
    searches = compiled(GOMOKU)
    for game, _, _ in puzzles()[::12]:
        own, other = marks_of(game.position)
        plain, fast = ThreeSearch(GOMOKU, endless()), searches.threes(endless())
        moves = fast.solve(own, other)
        assert moves == plain.solve(own, other)
        assert moves
        assert fast.expanded == plain.expanded


def test_a_search_keeps_its_tree_until_another_one_runs() -> None:
    searches = compiled(GOMOKU)
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


def test_a_spent_budget_stops_it() -> None:
    searches = compiled(GOMOKU)
    own, other = marks_of(puzzles()[3][0].position)
    assert searches.threes(no_time()).solve(own, other) == []
    assert searches.threes(endless()).solve(own, other)
    (case,) = cases("win", "gomoku")[:1]
    own, other = marks_of(case.position)
    assert win(searches.fours(endless()), own, other, 0) == "stopped"
    assert win(searches.fours(endless()), own, other, 1 << 40) not in (None, "stopped")


@pytest.mark.parametrize("counts", [False, True])
def test_short_searches_end_with_the_budget_too(counts: bool) -> None:
    """A defence makes thousands of them. A clock that counts its readings is read as often as in plain Python."""
    (case,) = cases("win", "gomoku")[:1]
    own, other = marks_of(case.position)
    clock = CountingClock()
    search = compiled(GOMOKU).fours(Budget(0.0, clock, counts_readings=counts))
    assert win(search, own, other, 1 << 40) not in (None, "stopped")  # the first one is always made
    assert (win(search, own, other, 1 << 40) == "stopped") is not counts
    assert (clock.readings == 0) is counts


@pytest.mark.search
def test_no_search_outlives_its_budget_by_50_ms() -> None:
    """In processor time, so a busy machine does not count."""
    searches = compiled(GOMOKU)
    own, other = marks_of(puzzles()[7][0].position)
    searches.threes(endless(), scope=Scope.WIDE).solve(other, own, 300)
    assert (
        overrun_s(lambda budget: searches.threes(budget, scope=Scope.WIDE).solve(other, own, 1 << 40), 0.1)
        <= TOLERANCE_S
    )


def test_without_pairs_or_against_two_lines_nothing_is_searched() -> None:
    search = compiled(GOMOKU).fours(endless())
    assert search.solve(0b1, 0b110, [], 0) is None
    assert search.solve(0b1, 0b110, [0b11000], 0b1100000) is None
    assert search.nodes == 0


def test_a_board_beyond_the_program_does_not_fit() -> None:
    assert all(fits(board_of(variant)) for variant in (GOMOKU, VARIANTS["qubic"], LONG_LINE))
    assert not fits(board_of(Variant("19x19", "Nineteen", "Five in a line wins.", (19, 19), 5)))
    assert not fits(board_of(Variant("9x9", "Nine", "Seven in a line wins.", (9, 9), 7)))


def test_without_memory_for_its_tables_no_search_begins() -> None:
    searches = CompiledSearches(WithoutMemory(loaded(PROGRAM)), board_of(GOMOKU))
    own, other = marks_of(cases("win", "gomoku")[0].position)
    with pytest.raises(MemoryError, match="tables of a threat search"):
        win(searches.fours(endless()), own, other, 1 << 40)
    with pytest.raises(MemoryError, match="tables of a threat search"):
        searches.threes(endless()).solve(own, other)
