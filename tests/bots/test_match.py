"""Matches: pairings, openings, moves that throw a game away, and the games themselves."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest

from noughts.bots.match import (
    Contestant,
    GameLine,
    Pairing,
    Standing,
    opening,
    pairings_of,
    play_pairing,
    replay_path,
    thrown_away,
)
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Outcome
from noughts.rules.variant import VARIANTS

CLASSIC = VARIANTS["classic"]
NOVICE, PERFECT = (Contestant(level, ("level", level, "{seed} " + level, "5"), 60.0) for level in ("novice", "perfect"))


async def play(pairing: Pairing, seed: str = "1", lanes: int = 2) -> list[GameLine]:
    async with aclosing(play_pairing(pairing, CLASSIC, seed, lanes)) as games:
        return sorted([game async for game in games], key=lambda game: game.number)


def test_everybody_plays_everybody() -> None:
    third = NOVICE._replace(name="third")
    pairs = [(pairing.first.name, pairing.second.name) for pairing in pairings_of([NOVICE, PERFECT, third], 4)]
    assert pairs == [("novice", "perfect"), ("novice", "third"), ("perfect", "third")]


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
    assert thrown_away(("draw", "win", "win", "draw"), drawn, 0) == (0, 1, 2)
    assert thrown_away(("draw", "win", "win", "draw"), drawn, 2) == (2,)
    assert thrown_away(("win", "loss", "win", None), x_wins, 0) == ()
    assert thrown_away(("draw", "draw", "win", None), drawn, 0) == (1, 2)
    assert thrown_away(("unknown", "win", "unknown", "draw"), drawn, 0) == ()


def test_the_replay_is_a_page_of_any_server() -> None:
    assert replay_path(CLASSIC, ("b2", "a1"), True, "full_board", None) == "/replay#classic=b2,a1"
    assert replay_path(CLASSIC, ("b2",), False, "resignation", "O") == "/replay#classic=b2&over=resignation,O"
    assert replay_path(CLASSIC, (), False, "agreement", None) == "/replay#classic=&over=agreement"


async def test_the_stronger_player_wins_and_throws_nothing_away() -> None:
    standing = Standing(Pairing(PERFECT, NOVICE, 8))
    games = await play(standing.pairing, lanes=1)
    for game in games:
        standing.add(game)
    assert [game.number for game in games] == list(range(1, 9))
    assert [game.players.X for game in games] == ["perfect", "novice"] * 4
    assert standing.tally.games == 8
    assert standing.tally.wins > standing.tally.losses
    assert standing.thrown["perfect"] == 0
    assert standing.thrown["novice"] > 0


async def test_equal_seeds_play_equal_games() -> None:
    pairing = Pairing(NOVICE, NOVICE._replace(name="other"), 2)
    assert await play(pairing, lanes=2) == await play(pairing, lanes=1)


@pytest.mark.parametrize(
    "source", ["def choose(view):\n    raise KeyError('oops')", "def choose(view):\n    return 'z9'"]
)
async def test_a_bot_that_fails_loses_that_game(tmp_path: Path, source: str) -> None:
    path = tmp_path / "failing.py"
    path.write_text(source)
    games = await play(Pairing(NOVICE, Contestant("failing", ("bot", str(path)), 30.0), 2), lanes=1)
    for game in games:
        assert game.failure is not None
        assert game.failure.player == "failing"
        assert (game.winner, game.reason) == ("X" if game.players.X == "novice" else "O", "resignation")
        assert game.replay.endswith(f"&over=resignation,{game.winner}")


async def test_a_match_may_be_left_early() -> None:
    async with aclosing(play_pairing(Pairing(NOVICE, PERFECT, 50), CLASSIC, "1", 2)) as games:
        async for game in games:
            assert game.players == ByMark("novice", "perfect") or game.players == ByMark("perfect", "novice")
            break
