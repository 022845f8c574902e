"""Seats: taken with the invite or without, given up, freed, lent to the engine, swapped."""

from __future__ import annotations

import pytest

from noughts.room.commands import Free
from noughts.room.events import EngineSeated, Sat, Started, Stood
from noughts.room.room import mark_of
from noughts.room.seat import EngineSeat, HumanSeat, Person, holder, mover, with_name
from tests.room.play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    Play,
    against_engine,
    engines,
    finished,
    new_room,
    offer,
    pair,
    resign,
    seat_engine,
    sit,
    stand,
    stood_in,
)


def test_whose_a_seat_is_and_who_moves_for_it() -> None:
    assert (holder(None), holder(HumanSeat("p_1", "One")), holder(EngineSeat("casual"))) == (None, "p_1", None)
    held = EngineSeat("casual", Person("p_1", "One"))
    assert (holder(held), mover(held), mover(HumanSeat("p_1", "One"))) == ("p_1", "engine:casual", "p_1")
    assert with_name(held, Person("p_1", "Uno")) == EngineSeat("casual", Person("p_1", "Uno"))
    assert with_name(held, Person("p_2", "Two")) is held
    assert mark_of(pair().room, "p_bob") == "O"
    assert mark_of(stood_in().room, "p_bob") == "O"
    assert mark_of(pair().room, "p_cat") is None


def test_a_wrong_invite_changes_nothing_and_locks_nobody_out() -> None:
    play = Play(new_room())
    for wrong in (None, "", "x", INVITE + "x", INVITE.upper(), "\N{SNOWMAN}", "\udc80"):
        assert play.code(BOB, sit("O", wrong)) == "forbidden"
    play.does(BOB, sit("O", INVITE))


def test_the_invite_is_not_used_up() -> None:
    play = Play(new_room())
    play.does(BOB, sit("O", INVITE))
    play.does(ADA, resign())
    play.does(BOB, stand())
    play.does(CAT, sit("O", INVITE))


def test_a_room_whose_invite_is_lost_lets_nobody_in_by_an_empty_one() -> None:
    play = Play(new_room(invite=None))
    assert play.code(BOB, sit("O", "")) == "forbidden"
    assert play.code(BOB, sit("O")) == "forbidden"


def test_the_owner_needs_no_invite() -> None:
    play = Play(new_room())
    play.does(ADA, stand())
    play.does(ADA, sit("O"))
    assert mark_of(play.room, "p_ada") == "O"


def test_an_open_room_needs_no_invite() -> None:
    play = Play(new_room(visibility="public", join="open", invite=None))
    play.does(BOB, sit("O"))
    assert play.room.phase == "playing"


def test_one_seat_of_a_room_for_a_player() -> None:
    play = Play(new_room(join="open", invite=None))
    assert play.code(ADA, sit("O")) == "forbidden"
    assert play.code(ADA, sit("X")) == "seat_taken"


def test_standing_up_between_games_leaves_the_seat_empty() -> None:
    play = finished()
    assert play.does(BOB, stand()) == (Stood("O"),)
    assert play.room.o is None
    assert play.room.phase == "waiting"
    assert play.game.outcome is not None
    assert play.code(BOB, stand()) == "not_seated"


def test_a_newcomer_after_a_game_starts_the_next_at_once() -> None:
    play = finished()
    play.does(BOB, stand())
    assert play.does(CAT, sit("O", INVITE)) == (Sat("O", "p_cat", "Cat"), Started(2))
    assert play.room.x == HumanSeat("p_ada", "Ada")


def test_the_score_is_kept_by_player_over_marks_and_newcomers() -> None:
    play = finished()
    play.does(BOB, stand())
    play.does(CAT, sit("O", INVITE))
    play.does(ADA, resign())
    play.does(ADA, offer("rematch"))
    play.does(CAT, offer("rematch"))
    play.does(CAT, resign())
    assert play.wins == {"p_ada": 2, "p_bob": 0, "p_cat": 1}


def test_an_engine_takes_an_empty_seat_and_starts_a_game() -> None:
    play = Play(new_room())
    assert play.does(ADA, seat_engine("O", "novice")) == (EngineSeated("O", "novice"), Started(1))
    assert play.room.o == EngineSeat("novice")
    assert not play.game.stand_in


def test_a_game_against_an_engine_counts_under_its_level() -> None:
    play = against_engine("skilled")
    play.does(ADA, resign())
    assert play.wins == {"p_ada": 0, "engine:skilled": 1}


def test_a_person_takes_an_engines_seat_between_games_with_the_invite() -> None:
    play = against_engine()
    assert play.code(BOB, sit("O", INVITE)) == "seat_taken"
    play.does(ADA, resign())
    assert play.code(BOB, sit("O")) == "forbidden"
    play.does(BOB, sit("O", INVITE))
    assert play.room.phase == "playing"
    assert play.game.number == 2


def test_a_person_takes_a_seat_between_two_engines_games() -> None:
    play = engines()
    play.moves("a1", "a2", "b1", "b2", "c1")
    play.does(CAT, sit("X"))
    assert play.game.number == 2
    assert not play.room.engines_only


def test_the_seat_that_an_engine_holds_for_somebody_is_not_for_others() -> None:
    play = stood_in()
    play.does(ADA, resign())
    assert play.code(CAT, sit("O", INVITE)) == "seat_taken"
    play.returns(BOB)
    play.does(BOB, sit("O"))


def test_the_holder_gives_up_a_seat_in_which_the_engine_stands() -> None:
    play = stood_in()
    play.does(ADA, resign())
    play.returns(BOB)
    play.does(BOB, stand())
    assert play.room.o is None


def test_the_owner_frees_the_seat_of_an_engine_and_of_one_who_is_away() -> None:
    play = against_engine()
    play.does(ADA, resign())
    assert play.does(ADA, Free("c", "O")) == (Stood("O"),)
    play = finished()
    assert play.code(ADA, Free("c", "O")) == "forbidden"
    play.leaves(BOB)
    play.does(ADA, Free("c", "O"))
    assert play.room.o is None
    play.returns(BOB)
    assert play.code(BOB, sit("O")) == "forbidden"
    play.does(BOB, sit("O", INVITE))


def test_an_engine_is_changed_for_another_level_between_games() -> None:
    play = against_engine("novice")
    play.does(ADA, resign())
    play.does(ADA, Free("c", "O"))
    play.does(ADA, seat_engine("O", "perfect"))
    assert play.room.o == EngineSeat("perfect")
    assert play.game.number == 2


def test_an_owner_without_a_seat_may_seat_two_engines() -> None:
    play = Play(new_room())
    play.does(ADA, stand())
    assert play.code(CAT, seat_engine("X")) == "not_seated"
    play.does(ADA, seat_engine("X"))
    play.does(ADA, seat_engine("O"))
    assert play.room.engines_only
    assert play.room.phase == "playing"


@pytest.mark.parametrize("number_of_devices", [1, 2, 5])
def test_a_second_device_is_the_same_player(number_of_devices: int) -> None:
    play = pair()
    for _ in range(number_of_devices):
        assert play.code(ADA, sit("X")) == "seat_taken"
        play.returns(ADA)
    play.moves("b2")
    assert mark_of(play.room, "p_ada") == "X"
