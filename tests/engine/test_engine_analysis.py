"""The analysis of whole games."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from noughts.engine.budget import Budget
from noughts.engine.engine import LATE_S, analyse_game
from noughts.engine.verdict import UNKNOWN, Analysis, Choice, Verdict
from noughts.errors import Rejection
from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS
from tests.support.budgets import endless

CLASSIC, VANISHING = VARIANTS["classic"], VARIANTS["vanishing"]


def test_the_analysis_of_a_game_has_every_ply() -> None:
    plies = analyse_game(CLASSIC, (4, 0, 1, 7, 2, 6), endless())
    names = [[cell_names(CLASSIC.shape)[cell] for cell in entry.best] for entry in plies]
    assert [(entry.ply, entry.turn) for entry in plies] == list(enumerate(["X", "O", "X", "O", "X", "O", "X"]))
    assert plies[0].verdict == Verdict("draw", None, "exact")
    assert len(names[0]) == 9
    assert names[1] == ["a1", "c1", "a3", "c3"]
    # After X's c1, O's reply threatens two lines.
    values = [entry.verdict.value for entry in plies if entry.verdict]
    assert values == ["draw", "draw", "draw", "draw", "draw", "win", "loss"]


def test_a_finished_game_has_no_turn_and_no_verdict_after_its_last_move() -> None:
    plies = analyse_game(CLASSIC, (0, 3, 1, 4, 2), endless())
    assert plies[-1] == (5, None, None, (), False)
    assert plies[-2] == (4, "X", Verdict("win", 1, "exact"), (2,), True)
    assert plies[3].verdict == Verdict("loss", 4, "exact")


class SlowKernel:
    """A kernel that needs ``needs_s`` seconds of a clock of its own for the position at each ply, None for ever."""

    variant = CLASSIC

    def __init__(self, needs_s: Mapping[int, float | None], lookup_s: float = 1e-6) -> None:
        """Set the times, and how long an analysis takes without any time."""
        self.needs_s = needs_s
        self.lookup_s = lookup_s
        self.now_s = 0.0
        self.searched: list[int] = []

    def analyse(self, position: Position, budget: Budget) -> Analysis:
        self.searched.append(position.ply)
        needs_s = self.needs_s.get(position.ply, 0.5)
        if needs_s is None:
            return Analysis(UNKNOWN, ())
        self.now_s += min(needs_s, max(0.0, budget.left()) + self.lookup_s)
        return Analysis(UNKNOWN, ()) if budget.left() <= 0.0 else Analysis(Verdict("draw", None, "exact"), (8,), True)

    def choose(self, game: Game, budget: Budget, rng: random.Random) -> Choice:
        raise AssertionError("an analysis chooses no move")


@pytest.mark.parametrize(
    ("needs_s", "searched", "took_s"),
    [
        ({}, [4, 3, 2, 1, 0], 2.5),
        ({4: 5.0}, [4, 3, 2, 1, 0, 4], 9.0),
        ({4: None, 2: None}, [4, 3, 2, 1, 0], 1.5),
        ({4: 3.0, 3: 2.5}, [4, 3, 2, 1, 0, 4, 3], 10.0),
    ],
    ids=["quick", "broken-off", "nothing-to-prove", "two-broken-off"],
)
def test_the_rest_of_the_time_goes_where_a_search_was_broken_off(
    needs_s: dict[int, float | None], searched: list[int], took_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that ends by itself is not repeated, whatever it proved."""
    slow = SlowKernel(needs_s)
    monkeypatch.setattr("noughts.engine.engine.kernel_for", lambda variant: slow)
    plies = analyse_game(CLASSIC, (4, 0, 1, 7), Budget(10.0, lambda: slow.now_s))
    assert slow.searched == searched
    assert slow.now_s == pytest.approx(took_s)
    values = [entry.verdict.value for entry in plies if entry.verdict is not None]
    unknown = {ply for ply, seconds_needed in needs_s.items() if seconds_needed is None}
    assert {ply for ply, value in enumerate(values) if value == "unknown"} >= unknown
    assert len(plies) == 5


@pytest.mark.parametrize("budget_s", [0.0, 0.1, 1.0, 10.0])
def test_an_analysis_of_a_long_game_ends_in_time(budget_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search is broken off, and a look into the tables takes its time too."""
    slow = SlowKernel(dict.fromkeys(range(60), 99.0), 0.005)
    monkeypatch.setattr("noughts.engine.engine.kernel_for", lambda variant: slow)
    game = new_game(VARIANTS["gomoku"])
    while game.ply < 50:
        game = game.play(next(cell for cell in game.legal() if game.play(cell).outcome is None))
    plies = analyse_game(game.variant, game.moves, Budget(budget_s, lambda: slow.now_s))
    assert slow.now_s <= budget_s + LATE_S + slow.lookup_s
    assert [entry.verdict for entry in plies] == [UNKNOWN] * 51
    if budget_s >= 1.0:
        assert set(slow.searched) == set(range(51))


def test_a_repetition_ends_the_analysis_too() -> None:
    moves = "a2 a1 c2 c1 a3 b3 b1 a2 b2 a1 c2 c1 a3 b3 b1 b2 a2 a1 c2 c1 a3 b3 b1"
    game = replay_names(VANISHING, moves.split())
    assert game.outcome is not None
    plies = analyse_game(VANISHING, game.moves, endless())
    assert plies[-1] == (23, None, None, (), False)
    assert plies[-2] == (22, "X", Verdict("win", 5, "exact"), (1,), True)  # a verdict is about the position alone


def test_an_illegal_move_is_rejected_before_any_search() -> None:
    with pytest.raises(Rejection) as rejection:
        analyse_game(CLASSIC, (4, 0, 4), Budget(0.0, failing_clock))
    assert (rejection.value.code, rejection.value.ply) == ("illegal_move", 2)


def failing_clock() -> float:
    raise AssertionError("a search has read the clock")


def test_an_analysis_without_time_is_unknown() -> None:
    budget = Budget(0.0, lambda: 1.0)
    plies = analyse_game(VARIANTS["gomoku"], (112, 113, 97), budget)
    assert [entry.verdict for entry in plies] == [UNKNOWN] * 4
    assert [entry.best for entry in plies] == [()] * 4
