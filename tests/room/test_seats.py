"""Seats: taken with the invite or without, given up, freed, and given to the engine."""

from __future__ import annotations

import pytest

from noughts.errors import Rejection
from noughts.room.events import EngineSeated, Moved, Sat, Started
from noughts.room.room import OpenOffer
from noughts.room.seat import EngineSeat
from noughts.room.seats import check_level, with_seat
from noughts.rules.by_mark import ByMark
from tests.support.room_play import (
    ADA,
    BOB,
    INVITE,
    LEVELS,
    POLICY,
    RoomPlay,
    against_engine,
    alone,
    answer,
    finished,
    new_room,
    offer,
    open_room,
    pair,
    resign,
    room_of,
    seat_engine,
    seat_of,
    sit,
    stand,
)

NO_INVITES = (None, "", "x", INVITE + "x", INVITE.upper(), "\N{SNOWMAN}", "\udc80")


# --- sit ---


def test_a_wrong_invite() -> None:
    """A missing or wrong invite is rejected, whatever its characters, and locks nobody out."""
    play = alone()
    for invite in NO_INVITES:
        assert play.code(BOB, sit("O", invite)) == "forbidden"
    assert play.ask(BOB, sit("O", INVITE)) == (Sat("O", "p_bob", "Bob"), Started(1))


def test_a_room_that_lost_its_invite() -> None:
    """A room without an invite lets nobody in by an empty one."""
    play = RoomPlay(new_room(invite=None))
    assert play.code(BOB, sit("O", "")) == "forbidden"
    assert play.code(BOB, sit("O")) == "forbidden"


def test_one_seat_for_a_player() -> None:
    """A player with a seat takes no other, nor the same again."""
    play = RoomPlay(open_room())
    assert play.code(ADA, sit("O")) == "forbidden"
    assert play.code(ADA, sit("X")) == "seat_taken"


# --- stand and free ---


def test_an_owner_who_stands_up() -> None:
    """The other seated player becomes the owner, and stays so."""
    play = finished()
    play.ask(ADA, stand())
    assert play.room.owner == BOB.nameless
    play.ask(ADA, sit("X", INVITE))
    assert play.room.owner == BOB.nameless


def test_an_owner_who_stands_up_alone() -> None:
    """Without another seated player the owner stays the owner: an engine owns nothing."""
    play = alone()
    play.ask(ADA, stand())
    assert play.room.owner == ADA.nameless
    play.ask(ADA, sit("O"))
    play = against_engine()
    play.ask(ADA, resign())
    play.ask(ADA, stand())
    assert play.room.owner == ADA.nameless


def test_an_empty_seat_ends_the_wait_after_a_declined_offer() -> None:
    """The player who declined has left, so the next opponent may be asked at once."""
    play = finished()
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, answer("rematch", False))
    assert play.room.declined
    play.ask(BOB, stand())
    assert play.room.declined == ()


# --- the engine ---


def test_an_engine_takes_an_empty_seat() -> None:
    """The engine in an empty seat completes the pair and starts a game that counts under its level."""
    play = alone()
    assert play.ask(ADA, seat_engine("O", "skilled")) == (EngineSeated("O", "skilled"), Started(1))
    assert play.room.seat("O") == EngineSeat("skilled")
    assert not play.game.stand_in
    play.ask(ADA, resign())
    assert play.wins == {"p_ada": 0, "engine:skilled": 1}


def test_a_level_of_the_variant() -> None:
    """A level at which the engine does not play the variant is a bad message that names those it has."""
    for variant, levels in LEVELS.items():
        for level in levels:
            check_level(POLICY, variant, level)
    with pytest.raises(Rejection, match=r"Gomoku at: novice, .*\.$") as rejection:
        check_level(POLICY, "gomoku", "perfect")
    assert rejection.value.code == "bad_message"


def test_a_rematch_lapses_when_a_seat_changes_hands() -> None:
    """Another seat ends an offer of a rematch and the claim on that seat, and nothing else."""
    offers = (OpenOffer("rematch", "X"), OpenOffer("draw", "O"))
    room = with_seat(room_of(seat_of(ADA), seat_of(BOB), offers=offers, claimable=("X", "O")), "O", None)
    assert room.seats == ByMark(seat_of(ADA), None)
    assert room.offers == (OpenOffer("draw", "O"),)
    assert room.claimable == ("X",)


# --- the engine holds the seat of a player who is away ---


def test_the_engine_holds_a_seat() -> None:
    """The engine moves for the absent player, and the seat stays theirs."""
    play = pair()
    play.moves("b2")
    play.disconnect(BOB)
    play.wait(30_000)
    assert play.ask(ADA, seat_engine("O", "perfect")) == (EngineSeated("O", "perfect"),)
    assert play.room.seat("O") == EngineSeat("perfect", BOB.nameless)
    assert play.room.claimable == ()
    assert play.game.turn == "O"
    assert play.engine_at_ms == play.game.turn_since_ms + 500
    play.step(play.engine_move("a1"))
    assert play.events == (Moved("O", "a1", "engine:perfect"),)
