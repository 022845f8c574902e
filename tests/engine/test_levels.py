"""Levels: their table, their measured strength for all variants, and games of the weakest one."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from noughts.engine.engine import choose
from noughts.engine.levels import (
    DEFAULT_LEVEL,
    LEVELS,
    STRENGTH_FILE,
    default_level,
    digest,
    ladder,
    level_names,
    measurements,
    strength,
    strongest_without_search,
)
from noughts.engine.one_ply import one_ply_move
from noughts.rules.game import new_game
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import endless

KEYS = tuple(VARIANTS)


def test_each_level_of_a_ladder_sees_more_than_the_one_below() -> None:
    for variant in VARIANTS.values():
        levels = ladder(variant)
        assert levels[-1].name in ("perfect", "strongest")
        assert levels[-1][1:] == (0.0, 0.0, 1.0, None)
        for lower, higher in pairwise(levels):
            assert LEVELS.index(lower.name) < LEVELS.index(higher.name)
            assert higher.own_misses <= lower.own_misses
            assert higher.line_misses <= lower.line_misses
            assert higher.search_share >= lower.search_share
            assert higher[1:4] != lower[1:4]
            assert (lower.clock_readings or 0) <= (higher.clock_readings or 10**6)


def test_a_level_errs_as_people_do() -> None:
    """Its own line is overlooked seldom, the other's more often, a fork more often still."""
    for variant in VARIANTS.values():
        for number, level in enumerate(ladder(variant)):
            if variant.misere:
                continue  # a line loses
            assert level.own_misses <= (0.25 if number == 0 else 0.1)
            assert level.own_misses < level.line_misses or not level.own_misses
            assert level.line_misses < 1.0 - level.search_share or level.name in ("novice", "perfect", "strongest")
            if level.searches:
                assert (level.own_misses, level.line_misses) == (0.0, 0.0)


def test_the_default_level_is_the_strongest_where_it_is_not_offered() -> None:
    for variant in VARIANTS.values():
        names = level_names(variant, programs_run=False)
        expected = DEFAULT_LEVEL if DEFAULT_LEVEL in names else strongest_without_search(variant).name
        assert default_level(names) == expected
        assert default_level(level_names(variant)) == DEFAULT_LEVEL


def test_a_variant_without_a_ladder_of_its_own_has_levels() -> None:
    assert level_names(Variant("6x5", "", "", (6, 5), 4)) == ("novice", "casual", "skilled", "expert", "strongest")


# -- measured strength ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_every_level_of_every_variant_was_measured(key: str) -> None:
    rows = strength(key)
    top = level_names(VARIANTS[key])[-1]
    assert [(row.level, row.against) for row in rows] == [
        (level, against)
        for below, level in pairwise(("", *level_names(VARIANTS[key])))
        for against in ("random", top, below)
        if against and against != level
    ]
    for row in rows:
        assert row.games >= 20
        assert row.win + row.draw + row.loss == pytest.approx(1)


def points(key: str, against: str) -> list[float]:
    """Return the score of each level; a draw counts half."""
    return [row.win + row.draw / 2 for row in strength(key, (against,))]


DRAWISH = ("classic", "misere", "4x4")
"""Variants in which draws keep neighbours close together."""


@pytest.mark.parametrize("key", KEYS)
def test_each_level_is_a_step_above_the_one_below(key: str) -> None:
    """The measured scores, with a draw as a half. The noise of 20 games is up to a fifth."""
    for row in strength(key, ("below",)):
        assert 0.45 <= row.win + row.draw / 2 <= 0.95, row
        if row.games >= 60 and key not in DRAWISH:
            assert 0.6 < row.win + row.draw / 2 < 0.85, row
    assert points(key, "simple")[0] < 0.45


@pytest.mark.parametrize("key", ["classic", "misere", "vanishing", "4x4", "5x5"])
def test_perfect_lost_no_game_that_it_could_save(key: str) -> None:
    rows = [row for row in strength(key, ("random", "simple", "below")) if row.level == "perfect"]
    assert len(rows) == 3
    for row in rows:  # in vanishing X wins, and the level below finds that win now and then
        assert row.loss <= (0.5 if key == "vanishing" and row.against == "master" else 0), row


def with_another_digit() -> bytes:
    """Return the file of figures with one digit changed."""
    content = STRENGTH_FILE.read_text()
    digits = re.compile(r"\d+(?=,)").search(content)
    assert digits is not None
    return (content[: digits.start()] + str(int(digits[0]) + 1) + content[digits.end() :]).encode()


def with_no_game() -> bytes:
    """Return a file of figures with a match without a game."""
    table = {"classic": {"novice": {"random": [0, 0, 0]}}}
    return json.dumps({"digest": digest(table), "levels": table}).encode()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"{}", b"[]", b"[" * 100_000, with_another_digit(), with_no_game(), b"\xff"], ids=range(8)
)
def test_a_damaged_file_of_figures_is_rejected(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line says what to do, and the levels have no figures."""
    file = tmp_path / "strength.json"
    file.write_bytes(content)
    monkeypatch.setattr("noughts.engine.levels.STRENGTH_FILE", file)
    measurements.cache_clear()
    try:
        with pytest.warns(UserWarning, match="make strength"):
            assert strength("classic") == ()
    finally:
        monkeypatch.undo()
        measurements.cache_clear()
    assert strength("classic")


def test_an_unmeasured_variant_has_no_figures() -> None:
    assert strength("6x5") == ()


# -- games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "games"),
    [
        ("classic", 300),
        ("misere", 300),
        ("vanishing", 300),
        ("4x4", 200),
        ("5x5", 150),
        ("four-in-a-row", 150),
        ("qubic", 40),
        ("gomoku", 3),
        ("ultimate", 30),
    ],
)
def test_a_simple_player_beats_novice(key: str, games: int) -> None:
    rng = random.Random(key)
    won = lost = 0
    for number in range(games):
        game = new_game(VARIANTS[key])
        while game.outcome is None:
            if game.ply % 2 == number % 2:
                cell = one_ply_move(game.position, rng)
            else:
                cell = choose(game, "novice", endless(), rng).cell
            game = game.play(cell)
        won += game.outcome.winner == "XO"[number % 2]
        lost += game.outcome.winner == "OX"[number % 2]
    assert won + lost >= games // 3
    assert won >= 0.6 * (won + lost)
