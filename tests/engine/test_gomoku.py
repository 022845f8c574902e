"""Gomoku: every win by continuous fours and every defence to one, wins by threes, and no verdict that is wrong.

The judge is ``tools/gomoku_referee.py``, which counts marks row by row and tries every answer; on boards small enough a
search of everything. Budgets are looks at a clock that ticks when looked at, so nothing here depends on the machine.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.engine.budget import Budget
from noughts.engine.threats.fours import FourSearch, board_of, lacks
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.threes import ThreeSearch
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant, lines
from tests.engine.threats import (
    HERE,
    cases,
    check_against_everything,
    late_position,
    looks,
    no_time,
    referee,
    shortest_by_fours,
    sides,
    wins_by_fours_after,
)
from tools.gomoku_referee import Refuted

GOMOKU = VARIANTS["gomoku"]
NAMES = cell_names(GOMOKU.shape)
BOARD = board_of(GOMOKU)
KERNEL = GomokuKernel(GOMOKU)
A_SECOND = 1800  # looks at the clock; a second of plain Python takes about 2,400


def drawn(*rows: str, turn: str = "X") -> FamilyPosition:
    """A position from a picture of the board's upper left corner. Only ``turn`` tells who is to move."""
    x = o = 0
    for row, text in enumerate(rows):
        for column, mark in enumerate(text.split()):
            bit = 1 << (row * 15 + column)
            x |= bit if mark == "X" else 0
            o |= bit if mark == "O" else 0
    return FamilyPosition(GOMOKU, x, o, 20 if turn == "X" else 21)


def cells(*names: str) -> tuple[int, ...]:
    return tuple(sorted(NAMES.index(name) for name in names))


def puzzles() -> list[tuple[Game, int, int]]:
    found = []
    for text in (HERE / "gomoku_puzzles.txt").read_text().splitlines():
        if not text.startswith("#"):
            moves, best, threes = (part.strip() for part in text.split(";"))
            found.append((replay_names(GOMOKU, moves.split()), NAMES.index(best), int(threes)))
    return found


# ---- what needs no search ----

FIVE = drawn(". . . . . . .", ". X X . X X .", ". O O O O . .")
BLOCK = drawn(". . . . . . .", ". O X X X . .", ". X O O O O .", ". . . . . . .")
TWO_FIVES = drawn(". . . . . . .", ". . X X X . .", ". . O O O O .", ". . . . . . .")
OPEN_THREE = drawn(". . . . . . .", ". . . . . . .", ". . . X X X . .", ". O . O . O . .")


@pytest.mark.parametrize("budget", [no_time, lambda: looks(3), lambda: looks(300)])
def test_a_line_is_completed_and_the_other_side_stopped_even_with_no_time(budget):
    rng = random.Random(1)
    assert KERNEL.choose(FIVE, budget(), rng) == (NAMES.index("d2"), Verdict("win", 1, "exact"))
    assert KERNEL.choose(BLOCK, budget(), rng).cell == NAMES.index("g3")
    assert KERNEL.choose(OPEN_THREE, budget(), rng).cell in cells("c3", "g3")
    assert KERNEL.choose(OPEN_THREE, budget(), rng).verdict == Verdict("win", 3, "exact")
    against = FamilyPosition(GOMOKU, OPEN_THREE.x, OPEN_THREE.o, 21)
    assert KERNEL.choose(against, budget(), rng).cell in cells("b3", "c3", "g3", "h3")


def test_two_ways_to_complete_a_line_are_lost_in_two_plies_whatever_one_plays():
    found = KERNEL.analyse(TWO_FIVES, looks(10))
    assert found.verdict == Verdict("loss", 2, "exact")
    assert found.best == TWO_FIVES.legal()
    assert KERNEL.choose(TWO_FIVES, looks(10), random.Random(1)).cell in cells("b3", "g3")


def test_six_in_a_row_wins():
    position = drawn(". . . . . . . .", ". X X X . X X .", ". O O O . O O .")
    assert KERNEL.analyse(position, looks(10)) == (Verdict("win", 1, "exact"), cells("e2"))


def test_a_line_ends_at_the_edge_of_the_board():
    # Four marks at the end of one row and one at the start of the next are no line.
    position = drawn(". . . . . . . . . . O X X X X", "X . . . . . . . . . . . . . .", "O O O . . . . . . . . . . . .")
    assert KERNEL.analyse(position, looks(2000)).verdict.plies != 1


def test_an_empty_board_is_opened_in_the_middle():
    assert KERNEL.choose(new_game(GOMOKU).position, looks(100), random.Random(1)) == (NAMES.index("h8"), UNKNOWN)


def test_a_board_on_which_nobody_can_fill_a_line_any_more_is_drawn():
    # Two by two blocks in turn: no line of five is left to either side.
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
    found = KERNEL.analyse(position, looks(10))
    assert found == (Verdict("draw", None, "exact"), position.legal())


# ---- continuous fours ----


@pytest.mark.parametrize("plies", [3, 5, 7, 9, 11])
def test_every_win_by_continuous_fours_is_found(plies):
    found = [case for case in cases("win", "gomoku") if case.plies == plies]
    assert len(found) >= 10
    for case in found:
        assert shortest_by_fours(case.position, 5) == plies
        analysis = KERNEL.analyse(case.position, looks(A_SECOND))
        assert analysis.verdict == Verdict("win", plies if plies <= 5 else None, "exact")
        assert analysis.best
        for cell in analysis.best:
            assert wins_by_fours_after(case.position, cell, plies // 2), NAMES[cell]
        choice = KERNEL.choose(case.position, looks(A_SECOND), random.Random(1))
        assert choice.cell in analysis.best


def test_every_defence_to_continuous_fours_is_found():
    found = cases("hold", "gomoku")
    assert len(found) >= 20
    assert sum(len(case.holding) == 1 for case in found) >= 3
    for case in found:
        slow = referee(case.position, attacker_moves=False)
        assert slow.by_fours(20) is not None  # it is a threat
        assert all(slow.holds(cell) for cell in case.holding)
        choice = KERNEL.choose(case.position, looks(A_SECOND), random.Random(1))
        assert choice.cell in case.holding
        assert choice.verdict.value != "win"


def scattered(seed: int, marks: int) -> FamilyPosition:
    """Marks in turn at random within 9x9 in the middle, no line completed."""
    rng = random.Random(seed)
    x = o = 0
    ply = 0
    for cell in rng.sample([c for c in range(225) if 3 <= c % 15 < 12 and 3 <= c // 15 < 12], 81):
        if ply == marks:
            break
        own = (o if ply & 1 else x) | 1 << cell
        if any(line & own == line for line in BOARD.through[1 << cell]):
            continue
        x, o = (x, own) if ply & 1 else (own, o)
        ply += 1
    return FamilyPosition(GOMOKU, x, o, ply)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(8, 60))
def test_fours_are_found_exactly_where_the_referee_finds_them(seed, marks):
    position = scattered(seed, marks)
    slow = referee(position)
    own, other = (position.o, position.x) if position.turn == "O" else (position.x, position.o)
    mine, theirs = lacks(BOARD, own, other), lacks(BOARD, other, own)
    assert mine.fours == sum(1 << cell for cell in slow.fives(0))
    assert theirs.fours == sum(1 << cell for cell in slow.fives(1))
    if not mine.fours:
        win = FourSearch(BOARD, looks(10_000)).solve(own, other, mine.pairs, theirs.fours, 5)
        assert (None if win is None else 2 * len(win) + 1) == shortest_by_fours(position, 5)


# ---- threes ----


def test_most_puzzles_with_open_threes_are_solved_in_a_second():
    every = puzzles()
    assert len(every) == 50
    solved = 0
    for game, _, threes in every:
        assert threes >= 4
        slow = referee(game.position)
        assert not slow.fives(0)
        assert slow.by_fours(20) is None  # no way through by fours alone
        analysis = GomokuKernel(GOMOKU).analyse(game.position, looks(A_SECOND))
        if analysis.verdict.value == "win":
            assert analysis.verdict == Verdict("win", None, "exact")
            assert analysis.best
            solved += 1
        else:
            assert analysis == (UNKNOWN, ())
    assert solved >= 45


def refereed(game: Game) -> int:
    """Let the referee try every legal answer to every move of the win that is claimed; the threes in its longest line."""
    mover, rival = sides(game.position)
    search = ThreeSearch(BOARD, FourSearch(BOARD, looks(1_000_000)), looks(1_000_000))

    def strategy(attacker: frozenset[int], defender: frozenset[int]) -> int | None:
        best = search.solve(sum(1 << cell for cell in attacker), sum(1 << cell for cell in defender))
        return best[0].bit_length() - 1 if best else None

    assert strategy(frozenset(mover), frozenset(rival)) is not None
    return referee(game.position).check(strategy)


@pytest.mark.parametrize("number", [3, 14, 25, 36])
def test_a_win_by_threes_stands_against_every_legal_answer(number):
    game, _, threes = puzzles()[number]
    assert refereed(game) <= threes + 4


@pytest.mark.long
def test_all_wins_by_threes_stand_against_every_legal_answer():
    for game, _, _ in puzzles():
        assert refereed(game) >= 2


def test_the_referee_refutes_a_strategy_that_does_not_win():
    game, best, _ = puzzles()[3]

    def anything_else(attacker: frozenset[int], defender: frozenset[int]) -> int | None:
        return next(cell for cell in range(225) if cell not in attacker | defender | {best})

    with pytest.raises(Refuted):
        referee(game.position).check(anything_else)


def test_a_win_of_the_opponent_by_threes_is_seen_and_met():
    # In each puzzle it is the opponent's turn before: somewhere a move must leave it without the win it has now.
    met = 0
    for game, _, _ in puzzles()[:8]:
        position = game.position
        passed = FamilyPosition(GOMOKU, position.x, position.o, position.ply + 1)
        choice = KERNEL.choose(passed, looks(1000), random.Random(1))
        after = passed.play(choice.cell)
        own, other = (after.o, after.x) if after.turn == "O" else (after.x, after.o)
        search = ThreeSearch(BOARD, FourSearch(BOARD, looks(600)), looks(600))
        met += not lacks(BOARD, own, other).fours and not search.solve(own, other)
    assert met >= 6


# ---- honesty ----


def test_no_verdict_on_small_boards_is_wrong():
    rng = random.Random(20)
    shapes = [((5, 4), 4), ((5, 5), 4), ((6, 4), 4), ((6, 5), 5), ((7, 4), 4)]
    total = {"win": 0, "draw": 0, "loss": 0, "unknown": 0}
    for shape, length in shapes:
        variant = Variant(f"small-{shape}", "", "", shape, length)
        made = (late_position(variant, rng, rng.randrange(4, 11)) for _ in range(40))
        for value, number in check_against_everything(GomokuKernel(variant), [p for p in made if p]).items():
            total[value] += number
    assert total["win"] > 40
    assert total["draw"] > 20
    assert total["loss"] > 5
    assert total["unknown"] == 0


def test_a_verdict_is_the_same_for_the_position_turned_over():
    for case in cases("win", "gomoku")[::5]:
        position = case.position

        def turned(marks: int) -> int:
            return sum(1 << (cell % 15 * 15 + cell // 15) for cell in range(225) if marks >> cell & 1)

        other = FamilyPosition(GOMOKU, turned(position.x), turned(position.o), position.ply)
        first, second = KERNEL.analyse(position, looks(A_SECOND)), KERNEL.analyse(other, looks(A_SECOND))
        assert first.verdict == second.verdict
        assert sum(1 << cell for cell in second.best) == turned(sum(1 << cell for cell in first.best))


# ---- budgets ----


def test_a_spent_budget_still_gives_a_legal_move_and_few_looks_are_taken_after_it():
    rng = random.Random(5)
    for seed in range(20):
        position = scattered(seed, 12 + seed)
        for allowed in (0, 1, 7, 50):
            taken = 0

            def clock() -> float:
                nonlocal taken
                taken += 1
                return float(taken)

            choice = KERNEL.choose(position, Budget(allowed, clock), rng)
            assert choice.cell in position.legal()
            assert taken <= allowed + 40


def test_the_same_budget_and_seed_give_the_same_move():
    for seed in range(6):
        position = scattered(seed, 20)
        first = GomokuKernel(GOMOKU).choose(position, looks(80), random.Random(seed))
        assert GomokuKernel(GOMOKU).choose(position, looks(80), random.Random(seed)) == first


def test_it_beats_a_player_who_only_completes_and_blocks():
    wins = 0
    for number in range(4):
        rng = random.Random(number)
        game = new_game(GOMOKU)
        engine = "X" if number % 2 else "O"
        while game.outcome is None:
            if game.position.turn == engine:
                cell = KERNEL.choose(game.position, looks(60), rng).cell
            else:
                slow = referee(game.position)
                legal = game.legal()
                near = [c for c in legal if abs(c % 15 - 7) < 5 and abs(c // 15 - 7) < 5] or list(legal)
                cell = min(slow.fives(0), default=min(slow.fives(1), default=rng.choice(near)))
            game = game.play(cell)
        wins += game.outcome.winner == engine
    assert wins == 4


def test_a_variant_that_is_not_won_by_filling_a_line_anywhere_is_refused():
    for key in ("misere", "vanishing", "four-in-a-row", "ultimate"):
        with pytest.raises(ValueError, match="filling a line"):
            GomokuKernel(VARIANTS[key])
