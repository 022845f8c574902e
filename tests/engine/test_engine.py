"""The engine as others see it."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from noughts.engine.budget import Budget
from noughts.engine.engine import analyse, analyse_game, choose, levels, start_value, warm
from noughts.engine.kernels import START_VALUES, kernel_for
from noughts.engine.levels import LEVELS
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.errors import Rejection
from noughts.rules.game import Game, new_game, replay_names, start
from noughts.rules.notation import cell_names
from noughts.rules.outcome import Mark
from noughts.rules.variant import VARIANTS, Variant

CLASSIC, MISERE, VANISHING = VARIANTS["classic"], VARIANTS["misere"], VARIANTS["vanishing"]
TENTH = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
EXACT = ("classic", "misere", "vanishing", "4x4")


class Offered(random.Random):
    """Remembers what it was asked to choose from."""

    options: Sequence[Any] = ()

    def choice(self, seq: Sequence[Any]) -> Any:
        self.options = seq
        return super().choice(seq)


def plenty() -> Budget:
    return Budget(1.0, lambda: 0.0)


def seconds(count: float) -> Budget:
    return Budget(time.process_time() + count, time.process_time)


def test_the_top_level_is_perfect_where_every_position_is_solved_and_strongest_elsewhere() -> None:
    for key, variant in VARIANTS.items():
        assert levels(variant) == ("novice", "casual", "skilled", "expert", "perfect" if key in EXACT else "strongest")


# -- perfect never loses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["X", "O"])
@pytest.mark.parametrize("variant", [CLASSIC, MISERE], ids=["classic", "misere"])
def test_perfect_never_loses_against_any_line_of_play(variant: Variant, mark: Mark) -> None:
    """Every reply of the opponent, and every answer that the engine might have picked by chance."""
    ends = {mark: 0, None: 0}
    known: set[Hashable] = set()
    fresh = [new_game(variant)]
    while fresh:
        game = fresh.pop()
        if game.outcome is not None:
            assert game.outcome.winner in (mark, None), [cell_names(variant.shape)[cell] for cell in game.moves]
            ends[game.outcome.winner] += 1
            continue
        if game.position.key in known:
            continue
        known.add(game.position.key)
        cells = game.legal()
        if game.position.turn == mark:
            rng = Offered(1)
            choice = choose(game, "perfect", plenty(), rng)
            assert choice.cell in rng.options
            cells = tuple(rng.options)
        fresh.extend(game.play(cell) for cell in cells)
    assert ends[mark]
    assert ends[None]


@pytest.mark.parametrize("variant", [CLASSIC, MISERE], ids=["classic", "misere"])
def test_perfect_against_perfect_is_a_draw(variant: Variant) -> None:
    for seed in range(20):
        game = self_play(variant, "perfect", "perfect", random.Random(seed))
        assert game.outcome is not None
        assert game.outcome.winner is None


def self_play(variant: Variant, x: str, o: str, rng: random.Random) -> Game:
    game = new_game(variant)
    while game.outcome is None:
        game = game.play(choose(game, (x, o)[game.ply % 2], plenty(), rng).cell)
    return game


def test_in_vanishing_perfect_wins_every_game_that_it_starts() -> None:
    rng = random.Random(1)
    for _ in range(60):
        game = new_game(VANISHING)
        while game.outcome is None:
            best = game.ply % 2 == 0
            game = game.play(choose(game, "perfect", plenty(), rng).cell if best else rng.choice(game.legal()))
        assert game.outcome.winner == "X"


def test_in_vanishing_perfect_holds_as_o_what_x_has_given_away() -> None:
    rng = random.Random(2)
    for _ in range(60):
        game = new_game(VANISHING).play(rng.choice((0, 2, 4, 6, 8)))  # all but the edges draw
        while game.outcome is None:
            best = game.ply % 2 == 1
            game = game.play(choose(game, "perfect", plenty(), rng).cell if best else rng.choice(game.legal()))
        assert game.outcome.winner != "X"


def test_four_by_four_perfect_never_loses_to_the_simple_or_the_random() -> None:
    variant = VARIANTS["4x4"]
    rng = random.Random(3)
    for number in range(12):
        game = new_game(variant)
        while game.outcome is None:
            level = "perfect" if game.ply % 2 == number % 2 else ("novice", "casual", "expert")[number % 3]
            game = game.play(choose(game, level, seconds(0.05), rng).cell)
        assert game.outcome.winner in (None, "XO"[number % 2])


# -- every variant and level ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [*VARIANTS.values(), TENTH], ids=lambda variant: variant.key)
def test_every_level_plays_legal_moves_to_the_end_in_next_to_no_time(variant: Variant) -> None:
    rng = random.Random(variant.key)
    names = levels(variant)
    game = new_game(variant)
    while game.outcome is None:
        choice = choose(game, names[game.ply % len(names)], seconds(0.002), rng)
        assert choice.cell in game.legal()
        assert choice.verdict.value in ("win", "draw", "loss", "unknown")
        game = game.play(choice.cell)


@pytest.mark.parametrize("key", ["gomoku", "ultimate", "qubic", "5x5", "four-in-a-row"])
def test_weaker_levels_do_not_use_the_time_that_they_are_given(key: str) -> None:
    variant = VARIANTS[key]
    warm(variant, seconds(0.5))
    rng = random.Random(4)
    for level in ("novice", "casual", "skilled"):
        game = new_game(variant)
        began = time.process_time()
        while game.outcome is None and game.ply < 12:
            game = game.play(choose(game, level, seconds(60.0), rng).cell)
        assert time.process_time() - began < 0.25 * 12


def test_a_level_that_the_variant_lacks_is_a_bad_message() -> None:
    for variant, level in (
        (CLASSIC, "strongest"),
        (VARIANTS["5x5"], "perfect"),
        (CLASSIC, "grandmaster"),
        (CLASSIC, ""),
    ):
        with pytest.raises(Rejection) as refused:
            choose(new_game(variant), level, plenty(), random.Random(1))
        assert refused.value.code == "bad_message"
        assert "novice" in refused.value.message


def test_a_game_that_is_over_asks_for_no_move() -> None:
    game = replay_names(CLASSIC, ["a1", "a2", "b1", "b2", "c1"])
    with pytest.raises(ValueError, match="over"):
        choose(game, "perfect", plenty(), random.Random(1))


@pytest.mark.parametrize("level", ["novice", "casual", "skilled", "expert", "perfect"])
def test_a_level_errs_as_often_as_the_table_says(level: str) -> None:
    # c1 wins. Whoever looks plays it; a slip is any of the five free cells.
    game = replay_names(CLASSIC, ["a1", "a2", "b1", "b2"])
    rng = random.Random(5)
    tries = 4_000
    found = sum(choose(game, level, plenty(), rng).cell == 2 for _ in range(tries)) / tries
    slip = LEVELS[level].slip
    assert found == pytest.approx(1 - slip + slip / 5, abs=0.025)
    if level == "perfect":
        assert found == 1


def test_the_same_seed_plays_the_same_game() -> None:
    for key in ("classic", "vanishing", "4x4"):
        one, two = (self_play(VARIANTS[key], "skilled", "perfect", random.Random(6)) for _ in range(2))
        assert one.moves == two.moves


# -- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", START_VALUES)
def test_the_value_of_an_empty_board_is_proved_again(key: str) -> None:
    variant = VARIANTS[key]
    assert analyse(start(variant), seconds(20.0)).verdict == start_value(variant)


def test_what_nobody_here_has_proved_is_unknown() -> None:
    assert start_value(VARIANTS["gomoku"]) == UNKNOWN
    assert start_value(VARIANTS["ultimate"]) == UNKNOWN
    assert start_value(TENTH) == UNKNOWN


def test_the_analysis_of_a_game_tells_every_ply_and_nothing_after_the_end() -> None:
    told = analyse_game(CLASSIC, (4, 0, 1, 7, 2, 6), plenty())
    names = [[cell_names(CLASSIC.shape)[cell] for cell in one.best] for one in told]
    assert [(one.ply, one.turn) for one in told] == list(enumerate(["X", "O", "X", "O", "X", "O", "X"]))
    assert told[0].verdict == Verdict("draw", None, "exact")
    assert len(names[0]) == 9
    assert names[1] == ["a1", "c1", "a3", "c3"]
    # X's c1 misses that O's reply threatens two lines.
    values = [one.verdict.value for one in told if one.verdict]
    assert values == ["draw", "draw", "draw", "draw", "draw", "win", "loss"]


def test_a_finished_game_has_no_turn_and_no_verdict_after_its_last_move() -> None:
    told = analyse_game(CLASSIC, (0, 3, 1, 4, 2), plenty())
    assert told[-1] == (5, None, None, ())
    assert told[-2] == (4, "X", Verdict("win", 1, "exact"), (2,))
    assert told[3].verdict == Verdict("loss", 4, "exact")


def test_a_repetition_ends_the_analysis_too() -> None:
    moves = "a2 a1 c2 c1 a3 b3 b1 a2 b2 a1 c2 c1 a3 b3 b1 b2 a2 a1 c2 c1 a3 b3 b1"
    game = replay_names(VANISHING, moves.split())
    assert game.outcome is not None
    told = analyse_game(VANISHING, game.moves, plenty())
    assert told[-1] == (23, None, None, ())
    assert told[-2] == (22, "X", Verdict("win", 5, "exact"), (1,))  # as if the game began there


def test_an_illegal_move_is_refused_before_any_search_starts() -> None:
    with pytest.raises(Rejection) as refused:
        analyse_game(CLASSIC, (4, 0, 4), Budget(0.0, unasked))
    assert (refused.value.code, refused.value.ply) == ("illegal_move", 2)


def unasked() -> float:
    raise AssertionError("a search has looked at the clock")


def test_an_analysis_without_time_is_honest() -> None:
    late = Budget(0.0, lambda: 1.0)
    told = analyse_game(VARIANTS["gomoku"], (112, 113, 97), late)
    assert [one.verdict for one in told] == [UNKNOWN] * 4
    assert [one.best for one in told] == [()] * 4


def test_warming_makes_the_first_move_come_at_once() -> None:
    def first_move_s() -> float:
        gc.collect()  # what others left is not this move's
        began = time.process_time()
        choose(new_game(VANISHING), "perfect", seconds(20.0), random.Random(1))
        return time.process_time() - began

    kernel_for.cache_clear()
    cold_s = first_move_s()
    kernel_for.cache_clear()
    warm(VANISHING, seconds(20.0))
    assert first_move_s() < cold_s / 4  # a thousandth, when nothing else happens
