"""The engine's interface for the rest of the program."""

from __future__ import annotations

import random
import time
from collections.abc import Hashable

import pytest

from noughts.engine.engine import analyse, choose
from noughts.engine.kernels import kernel_for
from noughts.engine.levels import LEVELS, ladder, level_names, level_of
from noughts.engine.one_ply import choose_at_once
from noughts.engine.solvable import START_VALUES, start_value
from noughts.engine.verdict import UNKNOWN
from noughts.errors import Rejection
from noughts.rules.game import new_game, replay_names, start
from noughts.rules.notation import cell_names
from noughts.rules.outcome import Mark
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless, no_time, seconds
from tests.support.engine_games import RecordingRandom
from tests.support.machine_speed import slowness

CLASSIC, MISERE, VANISHING = VARIANTS["classic"], VARIANTS["misere"], VARIANTS["vanishing"]
TENTH = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
EXACT = ("classic", "misere", "vanishing", "4x4")


def test_the_top_level_is_perfect_where_every_position_is_solved() -> None:
    for key, variant in VARIANTS.items():
        assert level_names(variant)[-1] == ("perfect" if key in (*EXACT, "5x5") else "strongest")
        assert {"novice", "casual", "skilled", "expert"} < set(level_names(variant)) <= set(LEVELS)


# -- perfect never loses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["X", "O"])
@pytest.mark.parametrize("variant", [CLASSIC, MISERE], ids=["classic", "misere"])
def test_perfect_never_loses_against_any_line_of_play(variant: Variant, mark: Mark) -> None:
    """The test tries every reply of the opponent, and every move that the engine could choose at random."""
    ends = {mark: 0, None: 0}
    visited_keys: set[Hashable] = set()
    queue = [new_game(variant)]
    while queue:
        game = queue.pop()
        if game.outcome is not None:
            assert game.outcome.winner in (mark, None), [cell_names(variant.shape)[cell] for cell in game.moves]
            ends[game.outcome.winner] += 1
            continue
        if game.position.key in visited_keys:
            continue
        visited_keys.add(game.position.key)
        cells = game.legal()
        if game.position.turn == mark:
            rng = RecordingRandom(1)
            choice = choose(game, "perfect", endless(), rng)
            assert choice.cell in rng.options
            cells = tuple(rng.options)
        queue.extend(game.play(cell) for cell in cells)
    assert ends[mark]
    assert ends[None]


# -- every variant and level ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["gomoku", "ultimate", "qubic", "5x5", "four-in-a-row"])
def test_weaker_levels_use_little_of_a_long_budget(key: str) -> None:
    variant = VARIANTS[key]
    analyse(start(variant), seconds(0.5))
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
        (VARIANTS["gomoku"], "perfect"),
        (CLASSIC, "grandmaster"),
        (CLASSIC, ""),
    ):
        with pytest.raises(Rejection) as rejection:
            choose(new_game(variant), level, endless(), random.Random(1))
        assert rejection.value.code == "bad_message"
        assert "novice" in rejection.value.message


def test_a_move_in_a_game_that_is_over_is_rejected() -> None:
    game = replay_names(CLASSIC, ["a1", "a2", "b1", "b2", "c1"])
    with pytest.raises(ValueError, match="over"):
        choose(game, "perfect", endless(), random.Random(1))


@pytest.mark.parametrize("level", ["novice", "casual", "skilled", "expert", "perfect"])
def test_a_level_overlooks_lines_as_often_as_the_table_says(level: str) -> None:
    """In the first position c1 completes a line, in the second only c1 blocks one. Else any of five cells is filled."""
    rng = random.Random(5)
    repetitions = 3_000
    strength = level_of(CLASSIC, level)
    for moves, misses in (("a1 a2 b1 b2", strength.own_misses), ("c3 a1 a2 b1", strength.line_misses)):
        game = replay_names(CLASSIC, moves.split())
        share = sum(choose(game, level, endless(), rng).cell == 2 for _ in range(repetitions)) / repetitions
        assert share == pytest.approx(1 - misses + misses / 5, abs=0.03)


@pytest.mark.parametrize("key", VARIANTS)
def test_a_move_without_a_search_is_the_one_that_choose_plays(key: str) -> None:
    """Choose with a spent budget, so that the test is short. A novice never searches, the top level always does."""
    variant = VARIANTS[key]
    mixed = [level.name for level in ladder(variant) if 0.0 < level.search_share < 1.0]
    game = new_game(variant)
    game = game.play(game.legal()[0])
    for seed in range(40):
        assert choose_at_once(game, "novice", random.Random(seed)) is not None
        assert choose_at_once(game, level_names(variant)[-1], random.Random(seed)) is None
    for level in mixed:
        searched: list[bool] = []
        for seed in range(1_000):  # some levels search one move in seventy
            choice = choose_at_once(game, level, random.Random(seed))
            searched.append(choice is None)
            if choice is not None:
                assert choice == choose(game, level, no_time(), random.Random(seed))
            if seed >= 80 and len(set(searched)) == 2:
                break
        assert set(searched) == {True, False}
    assert mixed or key == "4x4"


@pytest.mark.search
@pytest.mark.parametrize("key", VARIANTS)
def test_a_move_without_a_search_takes_under_five_milliseconds(key: str) -> None:
    """A server chooses it on its event loop. One try under the limit is enough."""
    variant = VARIANTS[key]
    rng = random.Random(7)
    game = new_game(variant)
    while game.outcome is None and game.ply < 20:
        times_s: list[float] = []
        while len(times_s) < 10 and min(times_s, default=1.0) >= 0.005:
            began_s = time.process_time()
            choose_at_once(game, "novice", random.Random(8))
            times_s.append((time.process_time() - began_s) / slowness())
        assert min(times_s) < 0.005
        game = game.play(rng.choice(game.legal()))


# -- a cell that must be filled ---------------------------------------------------------------------------------------

LOST = (
    ("qubic", "d4.1 b4.3 d1.2 d3.2 b3.3 b3.1 b2.4 c2.3 b4.1 b3.4 d1.1 c4.3 b4.4 d1.3 b2.3 d4.3", "a4.3"),
    (
        "gomoku",
        "f7 c4 f8 g9 g7 f10 c1 g1 g10 e11 h8 c3 d12 e9 e8 e12 k10 h5 n9 d8 j11 i1 g8",
        "i8",
    ),
    ("four-in-a-row", "b6 b5 e6 d6 c6 g6 e5 a6 g5 f6 d5", "f5"),
)
"""Lost positions in which the opponent threatens to complete a line in one cell."""


@pytest.mark.parametrize(("key", "moves", "cell"), LOST)
def test_it_fills_the_cell_of_a_threat_even_where_it_is_lost(key: str, moves: str, cell: str) -> None:
    game = replay_names(VARIANTS[key], moves.split())
    for seconds_left in (0.0, 0.02, 0.5):
        choice = kernel_for(game.variant).choose(game, seconds(seconds_left), random.Random(1))
        assert cell_names(game.variant.shape)[choice.cell] == cell
        for level in level_names(game.variant):
            if level_of(game.variant, level).searches:
                choice = choose(game, level, seconds(seconds_left), random.Random(1))
                assert cell_names(game.variant.shape)[choice.cell] == cell


# -- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", START_VALUES)
def test_the_value_of_an_empty_board_is_proved_again(key: str) -> None:
    variant = VARIANTS[key]
    assert analyse(start(variant), seconds(20.0)).verdict == start_value(variant)


def test_the_start_value_of_an_unproved_variant_is_unknown() -> None:
    assert start_value(VARIANTS["gomoku"]) == UNKNOWN
    assert start_value(VARIANTS["ultimate"]) == UNKNOWN
    assert start_value(TENTH) == UNKNOWN
