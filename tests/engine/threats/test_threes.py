"""Wins by threes: each one stands against every legal answer, by the slow referee."""

from __future__ import annotations

import pytest

from noughts.engine.threats.fours import board_of, open_lines
from noughts.engine.threats.threes import Scope, ThreeSearch
from noughts.rules.game import Game, replay_names
from noughts.rules.variant import VARIANTS
from tests.support.budgets import no_time, ticking
from tests.support.threats import gomoku_position, marks_of, puzzles, referee, referee_win
from tools.gomoku_referee import Refuted

GOMOKU = VARIANTS["gomoku"]
BOARD = board_of(GOMOKU)


def three_search(scope: Scope = Scope.FULL) -> ThreeSearch:
    return ThreeSearch(GOMOKU, ticking(1_000_000), scope=scope)


def longest_line(game: Game, scope: Scope = Scope.FULL) -> int:
    """Return the threes in the longest line of the win, after the referee has tried every legal answer."""
    return referee_win(game.position, three_search(scope))


@pytest.mark.parametrize("number", [3, 15, 24, 36])
def test_a_win_by_threes_stands_against_every_legal_answer(number: int) -> None:
    game, _, threes = puzzles()[number]
    assert longest_line(game) <= threes + 4


@pytest.mark.long
def test_all_wins_by_threes_stand_against_every_legal_answer() -> None:
    for game, _, _ in puzzles():
        assert longest_line(game) >= 2


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
    search = three_search()
    assert {bit.bit_length() - 1 for bit in search.solve(*marks_of(position))} <= {32, 36}
    assert search.expanded == 1


def test_a_line_that_must_be_blocked_limits_the_moves() -> None:
    """O has a four with one end free: only the block may win. With two free ends nothing does."""
    block = gomoku_position("X O O O O . .", ". . . . . . .", ". . X X . . .")
    assert three_search().solve(*marks_of(block), 2_000) in ([], [1 << 5])
    lost = gomoku_position(". O O O O . .", ". . . . . . .", ". . X X X . .")
    assert three_search().solve(*marks_of(lost)) == []


def test_no_win_is_found_where_there_is_none() -> None:
    position = gomoku_position("X . . . . O .", ". . . . . . .")
    search = three_search()
    assert search.solve(*marks_of(position), 200) == []
    assert search.expanded == 1  # the only node has no four and no three


def test_the_limit_and_the_budget_end_a_search() -> None:
    game, _, _ = puzzles()[3]
    own, other = marks_of(game.position)
    search = three_search()
    assert search.solve(own, other, 3) == []
    assert search.expanded == 3
    assert ThreeSearch(GOMOKU, no_time()).solve(own, other) == []
    first = search.solve(own, other)
    assert first  # the tree is kept, so the search goes on
    expanded = search.expanded
    assert search.solve(own, other) == first
    assert search.expanded == expanded


def test_a_search_for_fours_that_runs_out_of_nodes_claims_no_win() -> None:
    """With one node for each search for fours the tree needs its own moves, and its wins are still right."""
    game, _, _ = puzzles()[3]
    own, other = marks_of(game.position)
    search = ThreeSearch(GOMOKU, ticking(1_000_000), four_limit=1)
    exact = set(three_search().solve(own, other))
    assert set(search.solve(own, other, 3_000)) <= exact


def test_a_full_tree_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.engine.threats.threes.NODES_LIMIT", 10)
    game, _, _ = puzzles()[3]
    assert three_search().solve(*marks_of(game.position)) == []


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
    search = three_search(scope)
    assert search.solve(*marks_of(game.position))
    assert search.expanded < 1_000
    assert longest_line(game, scope) >= 2


def test_only_a_wide_search_finds_some_wins() -> None:
    """The narrow search comes to its end without a win."""
    moves = "i7 g7 f9 g10 j10 j6 h6 e10 h8 f10 j5 h5 k11 j7"
    game = replay_names(GOMOKU, moves.split())
    narrow, wide = three_search(), three_search(Scope.WIDE)
    assert narrow.solve(*marks_of(game.position)) == []
    assert narrow.expanded < 10_000
    assert wide.solve(*marks_of(game.position))
    assert longest_line(game, Scope.WIDE) >= 2


def test_the_groups_of_the_root_are_those_of_the_board() -> None:
    """A position with a line of the opponent that lacks one cell is handed over as it is."""
    game, _, _ = puzzles()[0]
    own, other = marks_of(game.position)
    assert not open_lines(BOARD, own, other).fours
    assert three_search().solve(own, other)
