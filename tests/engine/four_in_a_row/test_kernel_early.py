"""The kernel of four in a row with its table of early positions, and what a search adds to them."""

from __future__ import annotations

import random

import pytest

from noughts.engine.four_in_a_row.board import board_of
from noughts.engine.four_in_a_row.early import EarlyScores, EarlyValues
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.verdict import UNKNOWN, Verdict
from tests.support.budgets import no_time, readings
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, game_of_columns

MARKS = EarlyValues.marks
OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw"}


def test_every_position_of_the_table_has_its_value_without_time() -> None:
    rng = random.Random(21)
    kernel = FourInARowKernel(VARIANT)
    assert kernel.early is not None
    for _ in range(30):
        game = random_game(VARIANT, rng.randrange(MARKS + 1), rng)
        verdict, best, complete = kernel.analyse(game.position, no_time())
        assert verdict.value == {1: "win", 0: "draw", -1: "loss"}[kernel.early.value(board_of(game.position)) or 0]
        assert verdict.proof == "book"
        assert complete or game.ply == MARKS
        assert best or not complete
        for cell in game.legal() if complete else ():
            after = game.play(cell)
            if after.outcome is None and after.ply <= MARKS:
                reply = kernel.analyse(after.position, no_time()).verdict.value
                assert (reply == OPPOSITE[verdict.value]) is (cell in best)


def test_up_to_eight_marks_the_plies_are_known_without_time() -> None:
    """The move of the engine wins soonest or loses latest."""
    rng = random.Random(25)
    kernel = FourInARowKernel(VARIANT)
    values = set[str]()
    for _ in range(60):
        game = random_game(VARIANT, rng.randrange(EarlyScores.marks), rng)
        verdict, _, complete = kernel.analyse(game.position, no_time())
        assert complete
        assert (verdict.plies is None) is (verdict.value == "draw")
        values.add(verdict.value)
        choice = kernel.choose(game, no_time(), rng)
        assert choice.verdict.value == verdict.value
        after = game.play(choice.cell)
        if verdict.plies is not None and after.outcome is None:
            assert kernel.analyse(after.position, no_time()).verdict.plies == verdict.plies - 1
        assert choice.verdict.plies == verdict.plies
    assert values == {"win", "draw", "loss"}


def test_the_empty_board_is_won_in_41_plies() -> None:
    kernel = FourInARowKernel(VARIANT)
    assert kernel.analyse(game_of_columns("").position, no_time()) == (Verdict("win", 41, "book"), (38,), True)
    assert kernel.choose(game_of_columns(""), no_time(), random.Random(1)) == (38, Verdict("win", 41, "book"))


def test_without_the_table_of_scores_the_values_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EarlyScores, "load_or_warn", lambda: None)
    kernel = FourInARowKernel(VARIANT)
    assert kernel.analyse(game_of_columns("").position, no_time()) == (Verdict("win", None, "book"), (38,), True)
    assert kernel.choose(game_of_columns("4"), no_time(), random.Random(1)).verdict == Verdict("loss", None, "book")
    assert kernel.choose(game_of_columns(""), readings(9), random.Random(1)) == (38, Verdict("win", None, "book"))


def test_at_the_end_of_the_table_a_move_without_a_proof_keeps_the_verdict() -> None:
    """No time is left to prove a move, so the heuristic search chooses one."""
    rng = random.Random(24)
    kernel = FourInARowKernel(VARIANT)
    assert kernel.early is not None
    values: set[int] = set()
    while len(values) < 3:
        game = random_game(VARIANT, MARKS, rng)
        value = kernel.early.value(board_of(game.position))
        assert value is not None
        choice = FourInARowKernel(VARIANT).choose(game, no_time(), rng)
        assert choice.verdict.value == {1: "win", 0: "draw", -1: "loss"}[value]
        assert choice.cell in game.legal()
        values.add(value)


def test_without_the_table_the_start_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EarlyValues, "load_or_warn", lambda: None)
    kernel = FourInARowKernel(VARIANT)
    game = game_of_columns("")
    assert kernel.analyse(game.position, no_time()).verdict == UNKNOWN
    assert kernel.choose(game, no_time(), random.Random(1)).cell in game.legal()


def test_at_the_end_of_the_table_a_search_adds_the_moves() -> None:
    """Before the moves are proved ``best`` may be empty. A lost position needs no proof of them."""
    rng = random.Random(23)
    kernel = FourInARowKernel(VARIANT)
    complete = 0
    for _ in range(10):
        game = random_game(VARIANT, MARKS, rng)
        before = kernel.analyse(game.position, readings(0))
        after = kernel.analyse(game.position, readings(400))
        assert after.verdict.value == before.verdict.value
        assert set(before.best) <= set(after.best)
        assert before.complete or after.verdict.value != "loss"
        complete += after.complete and not before.complete
    assert complete
