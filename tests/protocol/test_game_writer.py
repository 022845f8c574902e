"""The view of a game carried on from move to move: byte for byte the view, encoded."""

from __future__ import annotations

import random

import pytest

from noughts.protocol.codec import encode
from noughts.protocol.game_writer import GameWriter
from noughts.protocol.views import game_view
from noughts.room.room import RoomGame
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS
from tests.support.room_play import ADA, BOB, answer, finished, offer, pair, playing


def check_games(writer: GameWriter, games: list[RoomGame]) -> None:
    """Check the views of games that one writer writes in turn."""
    for game in games:
        for on in (game.outcome is None, False):
            assert writer.written(game, on) == encode(game_view(game, on))


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("seed", range(3))
def test_a_game_from_first_to_last_move(variant: str, seed: int) -> None:
    """Every ply of a game is written as its view, in order, backwards and with gaps."""
    rng = random.Random(f"{variant} {seed}")
    play = pair(variant=variant)
    names = cell_names(VARIANTS[variant].shape)
    games = [play.game]
    while play.game.outcome is None:
        play.moves(names[rng.choice(play.game.history.legal())])
        games.append(play.game)
    check_games(GameWriter(), games)
    check_games(GameWriter(), games[::3])
    check_games(GameWriter(), games[-4:][::-1])


def test_a_takeback() -> None:
    """A game that goes back by two moves, and on by another one, is written anew."""
    play = pair()
    games = [play.game]
    for cell in ("b2", "a1", "c3"):
        play.moves(cell)
        games.append(play.game)
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", True))
    games.append(play.game)
    play.moves("a2")
    games.append(play.game)
    check_games(GameWriter(), games)


def test_another_game_with_the_same_moves() -> None:
    """The next game is not taken for the last one, nor another variant's for it."""
    second = finished()
    second.ask(ADA, offer("rematch"))
    second.ask(BOB, offer("rematch"))
    second.moves("b2", "a1")
    games = [playing().game, second.game, playing(variant="misere").game]
    check_games(GameWriter(), [*games, games[0]])
