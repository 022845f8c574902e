"""Levels: their table, their measured strength for all variants, and games of the weakest one."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from noughts.engine import levels as module
from noughts.engine.engine import choose
from noughts.engine.levels import LEVELS, level_names, names, strength
from noughts.rules.game import Game, new_game
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS
from tests.support.budgets import endless

KEYS = tuple(VARIANTS)


def test_names_weakest_first() -> None:
    assert names(exact=True) == ("novice", "casual", "skilled", "expert", "perfect")
    assert names(exact=False) == ("novice", "casual", "skilled", "expert", "strongest")


def test_a_variant_has_the_names_of_its_exactness() -> None:
    assert level_names(VARIANTS["classic"]) == names(exact=True)
    assert level_names(VARIANTS["gomoku"]) == names(exact=False)


def test_each_level_searches_more_than_the_one_below() -> None:
    weaker = [LEVELS[name] for name in ("novice", "casual", "skilled", "expert")]
    for lower, higher in pairwise([*weaker, LEVELS["perfect"]]):
        assert higher.random_share < lower.random_share
        assert higher.random_share + higher.one_ply_share < lower.random_share + lower.one_ply_share
    assert [level.steps for level in weaker] == sorted(level.steps or 0 for level in weaker)
    for level in LEVELS.values():
        assert 0.0 <= level.random_share + level.one_ply_share <= 1.0
    for top in ("perfect", "strongest"):
        assert LEVELS[top][1:] == (0.0, 0.0, None)


def test_the_table_in_the_docstring_is_the_table_in_the_code() -> None:
    assert module.__doc__ is not None
    rows = [line.split() for line in module.__doc__.splitlines() if line.startswith(tuple(LEVELS))]
    assert len(rows) == 4
    for name, random_share, one_ply_share, search, steps in rows:
        level = LEVELS[name]
        assert (float(random_share), float(one_ply_share)) == (level.random_share, level.one_ply_share)
        assert int(steps) == level.steps
        assert float(search) == pytest.approx(1 - level.random_share - level.one_ply_share)


# -- measured strength ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_every_level_of_every_variant_was_measured(key: str) -> None:
    rows = strength(key)
    top = level_names(VARIANTS[key])[-1]
    assert [(row.level, row.against) for row in rows] == [
        (level, against) for level in level_names(VARIANTS[key]) for against in ("random", top)
    ]
    for row in rows:
        assert row.games >= 40
        assert row.win + row.draw + row.loss == pytest.approx(1)


def points(key: str, against: str) -> list[float]:
    """Return the score of each level; a draw counts half."""
    return [row.win + row.draw / 2 for row in strength(key, (against,))]


@pytest.mark.parametrize("key", KEYS)
def test_each_level_is_stronger_than_the_one_below(key: str) -> None:
    """The clearest measure of every step is the simple player. With these few games, noise is up to a tenth."""
    simple = points(key, "simple")
    for lower, higher in pairwise(simple):
        assert higher > lower - 0.1
    assert simple[0] < simple[2] - 0.1
    assert simple[0] < 0.35
    for against in ("random", "top"):
        for lower, higher in pairwise(points(key, against)):
            assert higher > lower - 0.1


@pytest.mark.parametrize("key", KEYS)
def test_the_simple_player_beats_novice_as_measured(key: str) -> None:
    novice = strength(key, ("simple",))[0]
    assert novice.loss >= 0.6 * (novice.win + novice.loss)


@pytest.mark.parametrize("key", ["classic", "misere", "vanishing", "4x4"])
def test_perfect_lost_no_game_that_it_could_save(key: str) -> None:
    top = strength(key, ("random", "simple", "top"))[-3:]
    losses = [row.loss for row in top]
    assert losses[:2] == [0, 0]
    # In vanishing X wins, so perfect against perfect loses half its games.
    assert losses[2] == (0.5 if key == "vanishing" else 0)


def test_an_unmeasured_variant_has_no_figures() -> None:
    assert strength("6x5") == ()


# -- games -----------------------------------------------------------------------------------------------------


def simple_move(game: Game, rng: random.Random) -> int:
    """Return a cell that completes a line, else one that blocks, else any; in misère no own line. By the rules alone."""
    mine = [cell for cell in game.legal() if ends(game.position, cell)]
    if game.variant.misere:
        return rng.choice([cell for cell in game.legal() if cell not in mine] or list(game.legal()))
    if mine:
        return rng.choice(mine)
    return rng.choice([cell for cell in game.legal() if blocks(game.position, cell)] or list(game.legal()))


def ends(position: Position, cell: int) -> bool:
    outcome = position.play(cell).ended(cell)
    return outcome is not None and outcome.reason == "line"


def blocks(position: Position, cell: int) -> bool:
    """Return whether the opponent would complete a line there after a move elsewhere."""
    for elsewhere in position.legal():
        if elsewhere != cell:
            after = position.play(elsewhere)
            return cell in after.legal() and ends(after, cell)
    return False


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
                cell = simple_move(game, rng)
            else:
                cell = choose(game, "novice", endless(), rng).cell
            game = game.play(cell)
        won += game.outcome.winner == "XO"[number % 2]
        lost += game.outcome.winner == "OX"[number % 2]
    assert won + lost >= games // 3
    assert won >= 0.6 * (won + lost)
