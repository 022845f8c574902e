"""The kernel of four in a row: verdicts are right and come in time, and it wins every game that it begins."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from noughts.engine.four_in_a_row.board import board_of_sum
from noughts.engine.four_in_a_row.early import EarlyValues
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.four_in_a_row.proofs import Proofs
from noughts.engine.four_in_a_row.score_search import ScoreSearch
from noughts.engine.one_ply import one_ply_move
from noughts.rules.game import Game, new_game
from tests.support.budgets import endless, readings
from tests.support.engine_games import random_game
from tests.support.four_in_a_row import VARIANT, game_of_columns
from tests.support.slow_solver import slow_verdict
from tools.prove import strategy

# -- values ------------------------------------------------------------------------------------------------------------


def test_from_ply_20_on_values_are_proved_within_a_second() -> None:
    """In nodes: the program searches some millions of them in a second."""
    rng = random.Random(7)
    nodes = []
    for _ in range(60):
        game = random_game(VARIANT, 20, rng)
        kernel = FourInARowKernel(VARIANT)
        analysis = kernel.analyse(game.position, endless())
        assert analysis.verdict.value != "unknown"
        assert analysis.best
        nodes.append(kernel.search.nodes)
    assert max(nodes) < 100_000


# -- moves -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marks", [9, 24])
def test_a_win_has_plies_only_with_a_move_that_wins_in_them(marks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The score is proved, but the time ends before a move is: then any move that wins is made."""
    rng = random.Random(18)
    monkeypatch.setattr(Proofs, "holding", lambda *arguments: [])
    monkeypatch.setattr(Proofs, "score", lambda self, board, value, budget, nodes=0: 3 * value)
    monkeypatch.setattr(Proofs, "longest", lambda self, board, columns, budget: (columns, None))
    kernel = FourInARowKernel(VARIANT)
    won = 0
    while won < 5:
        game = random_game(VARIANT, marks, rng)
        choice = kernel.choose(game, endless(), rng)
        if choice.verdict.value == "win" and choice.verdict.plies != 1:
            won += 1
            assert choice.verdict.plies is None


@pytest.mark.search
def test_of_drawing_moves_it_takes_the_one_with_the_most_traps() -> None:
    rng = random.Random(13)
    kernel = FourInARowKernel(VARIANT)
    different = 0
    while different < 5:
        game = random_game(VARIANT, 32, rng)
        verdict, keeping = slow_verdict(game.position)
        if verdict.value != "draw" or len(keeping) < 2:
            continue
        shares = {}
        for cell in keeping:
            after = game.play(cell)
            lost = [reply for reply in after.legal() if reply not in slow_verdict(after.position)[1]]
            shares[cell] = len(lost) / len(after.legal())
        different += len(set(shares.values())) > 1
        assert shares[kernel.choose(game, endless(), rng).cell] == max(shares.values())


Player = Callable[[Game], int]


def play(x: Player, o: Player, game: Game) -> Game:
    while game.outcome is None:
        game = game.play(x(game) if game.ply % 2 == 0 else o(game))
    return game


def engine(kernel: FourInARowKernel, limit: int, rng: random.Random) -> Player:
    """The top level with ``limit`` clock readings a move: one in 1,024 nodes, or in 256 of the heuristic search."""
    return lambda game: kernel.choose(game, readings(limit), rng).cell


@pytest.mark.search
def test_it_wins_every_game_that_it_begins(whole: bool) -> None:
    rng = random.Random(14)
    x = engine(FourInARowKernel(VARIANT), 80, rng)
    other_engine = FourInARowKernel(VARIANT)
    opponents: list[Player] = [
        lambda game: rng.choice(game.legal()),
        lambda game: one_ply_move(game.position, rng),
        engine(other_engine, 8, rng),
    ]
    for opponent, games in zip(opponents, (8, 8, 2) if whole else (2, 2, 1), strict=True):
        for _ in range(games):
            outcome = play(x, opponent, new_game(VARIANT)).outcome
            assert outcome is not None
            assert outcome.winner == "X"


@pytest.mark.search
def test_the_hardest_wins_of_x_are_proved_within_a_second() -> None:
    """The proof that X wins has its positions with twelve marks or more where no short search proves the win."""
    search = ScoreSearch()
    for board in map(board_of_sum, strategy.load().entries):
        if board.ply >= EarlyValues.marks:
            search.clear()
            search.allow(1_000_000, None)
            assert search.score_reaches(*board, 1), board


def test_the_tables_give_verdicts_to_both_sides() -> None:
    kernel = FourInARowKernel(VARIANT)
    for reply in "1234567":
        verdict = kernel.analyse(game_of_columns("4" + reply).position, readings(40)).verdict
        assert (verdict.value, verdict.proof) == ("win", "book"), reply
    lost = kernel.analyse(game_of_columns("4").position, readings(40))
    assert (lost.verdict.value, lost.verdict.proof) == ("loss", "book")
    assert lost.best == game_of_columns("4").legal()
    choice = kernel.choose(game_of_columns("4"), readings(80), random.Random(1))
    assert (choice.verdict.value, choice.verdict.proof) == ("loss", "book")


def test_a_loss_of_unknown_length_is_not_answered_at_random() -> None:
    """Whatever the budget, its move lasts at least as long as the longest that the budget is enough to prove."""
    rng = random.Random(17)
    kernel = FourInARowKernel(VARIANT)
    lost = 0
    while lost < 6:
        game = random_game(VARIANT, 26, rng)
        verdict = kernel.analyse(game.position, endless()).verdict
        if verdict.value != "loss" or verdict.plies is None or verdict.plies < 4:
            continue
        lost += 1
        for number in (1, 3, 5, 100):
            choice = FourInARowKernel(VARIANT).choose(game, readings(number), rng)
            after = game.play(choice.cell)
            plies = kernel.analyse(after.position, endless()).verdict.plies
            assert plies is not None
            assert plies >= (verdict.plies - 1 if choice.verdict.plies else 3)
