"""Seats: the engine holds the seat of a player who is away, and the player comes back."""

from __future__ import annotations

import pytest

from noughts.room.commands import SeatEngine
from noughts.room.events import EngineSeated, Moved, Sat
from noughts.room.seat import EngineSeat
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    bob_away,
    move,
    pair,
    resign,
    seat_engine,
    seat_of,
    sit,
    stand,
    stood_in,
)


def test_the_engine_holds_a_seat() -> None:
    """The engine moves for the absent player, and the seat stays theirs."""
    play = pair()
    play.moves("b2")
    play.disconnect(BOB)
    play.wait(30_000)
    assert play.ask(ADA, SeatEngine("c", "O", "perfect")) == (EngineSeated("O", "perfect"),)
    assert play.room.seat("O") == EngineSeat("perfect", BOB)
    assert play.room.claimable == ()
    assert play.game.turn == "O"
    assert play.engine_at_ms == play.game.turn_since_ms + 500
    play.step(play.engine_move("a1"))
    assert play.events == (Moved("O", "a1", "engine:perfect"),)


def test_only_the_opponent_seats_a_stand_in() -> None:
    """Only the opponent may, and only after the grace."""
    assert bob_away(29_999).code(ADA, seat_engine("O")) == "seat_taken"
    assert bob_away().code(CAT, seat_engine("O")) == "not_seated"
    assert bob_away().code(BOB, seat_engine("O")) == "seat_taken"
    assert stood_in().code(ADA, seat_engine("O")) == "seat_taken"


@pytest.mark.parametrize("plies", range(5))
def test_the_player_takes_the_seat_back(plies: int) -> None:
    """The player sits down again at any moment of the game, without the invite."""
    play = stood_in()
    play.moves(*("a1", "b2", "a2", "c3", "c1")[:plies])
    play.connect(BOB)
    assert play.ask(BOB, sit("O")) == (Sat("O", "p_bob", "Bob"),)
    assert play.room.seat("O") == seat_of(BOB)
    assert play.game.history.ply == plies
    assert play.outcome() is None


def test_the_player_takes_the_seat_back_after_the_game() -> None:
    """Taking the seat back between games starts none."""
    play = stood_in()
    play.ask(ADA, resign())
    play.connect(BOB)
    play.ask(BOB, sit("O"))
    assert play.room.phase == "finished"
    assert play.game.number == 1


def test_the_engine_is_stale_once_the_player_is_back() -> None:
    """The engine's move is rejected after the player has sat down, and after the player has moved."""
    play = stood_in()
    play.moves("a1")
    thought = play.engine_move("b2")
    play.connect(BOB)
    play.ask(BOB, sit("O"))
    assert play.rejection(thought).code == "stale"
    play.moves("b2")
    assert play.rejection(thought).code == "stale"


def test_the_player_sits_down_before_moving() -> None:
    """While the engine stands in, the player's own move is rejected; resigning is not."""
    play = stood_in()
    play.moves("a1")
    play.connect(BOB)
    assert play.code(BOB, move(1, "b2")) == "not_your_turn"
    play.ask(BOB, resign())
    assert play.outcome() == ("X", "resignation")


def test_a_held_seat_is_not_for_others() -> None:
    """Nobody else takes the seat, also between games and with the invite."""
    play = stood_in()
    play.ask(ADA, resign())
    assert play.code(CAT, sit("O", INVITE)) == "seat_taken"
    play.connect(BOB)
    play.ask(BOB, sit("O"))


def test_the_player_gives_a_held_seat_up() -> None:
    """The player may leave for good without sitting down again."""
    play = stood_in()
    play.ask(ADA, resign())
    play.connect(BOB)
    play.ask(BOB, stand())
    assert play.room.seat("O") is None
