"""The kernel of 5x5: its verdicts are right and come in time, and it never loses a game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.rules.game import new_game, replay_names
from noughts.rules.outcome import Mark, Outcome
from noughts.rules.position import FamilyPosition, Position
from tests.support.budgets import endless, readings
from tests.support.engine_games import game_at
from tests.support.five_by_five import SIDE, VARIANT, random_position, solved_positions


@pytest.fixture(scope="module")
def kernel() -> FiveByFiveKernel:
    return FiveByFiveKernel(VARIANT)


# -- values -----------------------------------------------------------------------------------------------------------


def test_earlier_positions_have_the_values_of_a_plain_negamax() -> None:
    kernel = FiveByFiveKernel(VARIANT)
    values: Counter[str] = Counter()
    for position, value, plies in solved_positions():
        assert kernel.analyse(position, endless()).verdict == Verdict(value, plies, "exact")
        values[value] += 1
    assert len(values) == 3
    assert min(values.values()) >= 18


def test_its_table_separates_positions_with_exchanged_marks() -> None:
    kernel = FiveByFiveKernel(VARIANT)
    for position, value, plies in solved_positions():
        if not position.ply & 1:
            exchanged = FamilyPosition(VARIANT, position.o, position.x, position.ply)
            assert kernel.analyse(position, endless()).verdict == Verdict(value, plies, "exact")
            assert kernel.analyse(exchanged, endless()) == FiveByFiveKernel(VARIANT).analyse(exchanged, endless())


@pytest.mark.search
def test_best_holds_exactly_the_moves_that_keep_the_value(kernel: FiveByFiveKernel) -> None:
    rng = random.Random(8)
    opposite = {"win": "loss", "draw": "draw", "loss": "win"}
    for marks in (2, 3, 6, 8, 9, 10):
        position = random_position(marks, rng)
        verdict, best, _ = kernel.analyse(position, endless())
        keeping = []
        for cell in position.legal():
            after = position.play(cell)
            if after.ended(cell) or kernel.analyse(after, endless()).verdict.value == opposite[verdict.value]:
                keeping.append(cell)
        assert best == tuple(keeping)
        assert best
        if verdict.value == "loss":
            assert best == position.legal()


def test_the_game_is_a_draw_by_the_book(kernel: FiveByFiveKernel) -> None:
    verdict, best, _ = kernel.analyse(new_game(VARIANT).position, readings(0))
    assert verdict == Verdict("draw", None, "book")
    assert VARIANT.index_of["c3"] in best


# -- in time -----------------------------------------------------------------------------------------------------------


# -- play --------------------------------------------------------------------------------------------------------------


def test_each_move_keeps_value_and_plies(kernel: FiveByFiveKernel) -> None:
    rng = random.Random(3)
    opposite = {"win": "loss", "loss": "win"}
    decided = [(position, value, plies) for position, value, plies in solved_positions() if plies not in (None, 1)]
    for position, value, plies in decided[:25]:
        after = position.play(kernel.choose(game_at(position), endless(), rng).cell)
        verdict = kernel.analyse(after, endless()).verdict
        assert (verdict.value, verdict.plies) == (opposite[value], (plies or 0) - 1)


Opponent = Callable[[Position, random.Random], int]


def play(kernel: FiveByFiveKernel, mark: Mark, opponent: Opponent, rng: random.Random) -> Outcome:
    game = new_game(VARIANT)
    while game.outcome is None:
        if game.position.turn == mark:
            before = kernel.nodes
            choice = kernel.choose(game, readings(300), rng)
            assert choice.verdict.value in ("win", "draw"), game.moves
            assert kernel.nodes - before < 120_000, game.moves
            game = game.play(choice.cell)
        else:
            game = game.play(opponent(game.position, rng))
    return game.outcome


def test_its_drawing_moves_set_traps(kernel: FiveByFiveKernel) -> None:
    """As X on the empty board, against random replies, it moves where most of them lose."""
    rng = random.Random(2)

    def losing_replies(cell: int) -> int:
        after = new_game(VARIANT).position.play(cell)
        return sum(kernel.analyse(after.play(reply), endless()).verdict.value == "win" for reply in after.legal())

    cell = kernel.choose(new_game(VARIANT), endless(), rng).cell
    assert losing_replies(cell) == max(losing_replies(other) for other in range(SIDE * SIDE)) > 0


def test_without_a_book_the_search_decides() -> None:
    kernel = FiveByFiveKernel(VARIANT, {})
    lost = replay_names(VARIANT, ["a1", "c3", "e5", "c2"])
    assert kernel.analyse(lost.position, endless()).verdict == Verdict("loss", 8, "exact")
    assert FiveByFiveKernel(VARIANT).analyse(lost.position, readings(1)).verdict == Verdict("loss", 8, "book")
    assert kernel.analyse(new_game(VARIANT).position, readings(2)) == Analysis(UNKNOWN, ())
    assert kernel.choose(new_game(VARIANT), readings(2), random.Random(1)).verdict == UNKNOWN
