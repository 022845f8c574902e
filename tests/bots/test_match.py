"""Matches: openings, moves that throw a game away, the Elo difference, and the games themselves."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from noughts.bots.match import BotPlayer, GameLine, LevelPlayer, Player, Standing, opening, play, thrown_away, view_of
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.rules.outcome import Outcome
from noughts.rules.variant import VARIANTS

CLASSIC = VARIANTS["classic"]


async def games_of(first: Player, second: Player, games: int) -> list[GameLine]:
    return [
        await play(ByMark(second, first) if number % 2 else ByMark(first, second), CLASSIC, number, "1")
        for number in range(games)
    ]


def standing_of(wins: int = 0, draws: int = 0, losses: int = 0) -> Standing:
    standing = Standing("one", "other")
    standing.wins, standing.draws, standing.losses = wins, draws, losses
    return standing


def test_openings_vary_by_seed_and_are_played_twice() -> None:
    for variant in VARIANTS.values():
        openings = [opening(variant, "seed", number).moves for number in range(40)]
        assert openings[0::2] == openings[1::2]
        assert len(set(openings)) > 8
        assert openings == [opening(variant, "seed", number).moves for number in range(40)]
        assert openings != [opening(variant, "other", number).moves for number in range(40)]


def test_moves_that_throw_a_game_away_are_counted() -> None:
    """The values are for the side to move; X moves at the even plies."""
    x_wins, drawn = Outcome("X", "line", (0,)), Outcome(None, "full_board")
    assert thrown_away(["draw", "win", "win", "draw"], drawn, 0) == (0, 1, 2)
    assert thrown_away(["draw", "win", "win", "draw"], drawn, 2) == (2,)
    assert thrown_away(["win", "loss", "win", None], x_wins, 0) == ()
    assert thrown_away(["draw", "draw", "win", None], drawn, 0) == (1, 2)
    assert thrown_away(["unknown", "win", "unknown", "draw"], drawn, 0) == ()


async def test_the_stronger_player_wins_and_throws_nothing_away() -> None:
    standing = Standing("perfect", "novice")
    games = await games_of(LevelPlayer("perfect"), LevelPlayer("novice"), 8)
    for game in games:
        standing.add(game)
    assert [game.number for game in games] == list(range(1, 9))
    assert [game.players.X for game in games] == ["perfect", "novice"] * 4
    assert standing.games == 8
    assert standing.wins > standing.losses
    assert standing.thrown["perfect"] == 0
    assert standing.thrown["novice"] > 0
    assert {game.replay for game in games} == {f"/replay#classic={','.join(game.moves)}" for game in games}


async def test_equal_seeds_play_equal_games() -> None:
    one, other = LevelPlayer("novice"), LevelPlayer("casual")
    assert await games_of(one, other, 2) == await games_of(one, other, 2)


@pytest.mark.parametrize(
    "source", ["def choose(view):\n    raise KeyError('oops')", "def choose(view):\n    return 'z9'"]
)
async def test_a_bot_that_fails_loses_that_game(tmp_path: Path, source: str) -> None:
    path = tmp_path / "failing.py"
    path.write_text(source)
    bot = BotPlayer(path, 30.0)
    games = await games_of(LevelPlayer("novice"), bot, 2)
    await bot.stop()
    for game in games:
        assert game.failure is not None
        assert game.failure.player == "failing"
        assert (game.winner, game.reason) == ("X" if game.players.X == "novice" else "O", "resignation")
        assert game.replay.endswith(f"&over=resignation,{game.winner}")


def test_a_bot_sees_what_it_would_see_in_a_room() -> None:
    view = view_of(Game.of("classic", "b2 a1"), 7)
    assert (view.id, view.variant, view.phase) == ("match-7", "classic", "playing")
    assert view.game is not None
    assert (view.game.turn, view.game.moves, view.game.marks) == ("X", ("b2", "a1"), {"b2": "X", "a1": "O"})
    assert view.game.legal == ("b1", "c1", "a2", "c2", "a3", "b3", "c3")
    over = view_of(Game.of("classic", "a1 a2 b1 b2 c1"), 1)
    assert over.game is not None
    assert (over.phase, over.game.turn, over.game.legal) == ("finished", None, ())


def test_equal_players_have_an_interval_around_zero() -> None:
    elo = standing_of(10, 20, 10).elo()
    assert elo.value == pytest.approx(0.0)
    assert elo.low == pytest.approx(-elo.high)
    assert 50 < elo.high < 120


def test_three_quarters_of_the_points_are_191_elo() -> None:
    """The formula of the Elo system: 400 times the decimal logarithm of 3."""
    elo, more = standing_of(75, 0, 25).elo(), standing_of(750, 0, 250).elo()
    assert elo.value == pytest.approx(400 * math.log10(3))
    assert elo.low < more.low < elo.value < more.high < elo.high


def test_one_outcome_alone_leaves_one_end_open() -> None:
    wins, losses = standing_of(wins=20).elo(), standing_of(losses=20).elo()
    assert (wins.value, wins.high) == (math.inf, math.inf)
    assert 100 < wins.low < 400
    assert (losses.value, losses.low) == (-math.inf, -math.inf)
    assert losses.high == pytest.approx(-wins.low)
