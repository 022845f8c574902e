"""The one state machine: the owner's settings, the end of the room, and new names."""

from __future__ import annotations

import pytest

from noughts.room.commands import Close, Set
from noughts.room.events import Closed, Settings
from noughts.room.room import OpenOffer
from noughts.room.seat import EngineSeat, HumanSeat
from tests.support.room_play import (
    ADA,
    BOB,
    FISCHER_60_2,
    MOVE_5S,
    against_engine,
    alone,
    finished,
    offer,
    playing,
    resign,
)


def test_set_is_about_the_next_game() -> None:
    """New settings apply from the next game on; the finished game keeps its own. An absent field stays as it is."""
    play = finished()
    command = Set("c", variant="4x4", clock=MOVE_5S, visibility="public", spectator_chat="off")
    assert play.ask(ADA, command) == (Settings(),)
    room = play.room
    assert (room.variant, room.clock, room.visibility, room.spectator_chat) == ("4x4", MOVE_5S, "public", "off")
    assert play.game.history.variant.key == "classic"
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))
    assert play.game.history.variant.key == "4x4"
    assert play.left_ms == (5_000, 5_000)
    play.ask(ADA, resign())
    assert play.ask(ADA, Set("c")) == (Settings(),)
    assert (play.room.variant, play.room.clock, play.room.visibility) == ("4x4", MOVE_5S, "public")
    play.ask(ADA, Set("c", clock=None))
    assert play.room.clock is None


def test_a_new_clock_is_shown_between_games() -> None:
    """Between games the clock shows what each side will have."""
    play = playing(clock=MOVE_5S)
    play.wait(2_000)
    play.ask(ADA, resign())
    play.ask(ADA, Set("c", clock=MOVE_5S))
    assert play.left_ms == (3_000, 5_000)  # the same clock keeps what the game ended with
    play.ask(ADA, Set("c", clock=FISCHER_60_2))
    assert play.left_ms == (60_000, 60_000)
    play = alone()
    play.ask(ADA, Set("c", clock=FISCHER_60_2))
    assert play.room.clock == FISCHER_60_2


def test_another_game_ends_an_offer_of_a_rematch() -> None:
    """An open rematch lapses with another variant or clock, and with no other setting."""
    play = finished()
    play.ask(BOB, offer("rematch"))
    play.ask(ADA, Set("c", visibility="public"))
    assert play.room.offers == (OpenOffer("rematch", "O"),)
    play.ask(ADA, Set("c", variant="4x4"))
    assert not play.room.offers


@pytest.mark.parametrize(
    ("before", "level", "variant", "after"),
    [
        ("classic", "perfect", "gomoku", "strongest"),
        ("gomoku", "strongest", "classic", "perfect"),
        ("classic", "casual", "gomoku", "casual"),
        ("gomoku", "master", "classic", "expert"),
        ("classic", "retired", "gomoku", "strongest"),
    ],
)
def test_the_level_of_a_seated_engine_in_another_variant(before: str, level: str, variant: str, after: str) -> None:
    """An engine keeps its level if the new variant has it, else it gets the one at the same height, or the top one."""
    play = against_engine(level, variant=before)
    play.ask(ADA, resign())
    play.ask(ADA, Set("c", variant=variant))
    assert play.room.seat("O") == EngineSeat(after)
    assert play.room.seat("X") == HumanSeat("p_ada")


def test_closing_a_room_in_mid_game() -> None:
    """Closing ends the room for everybody, with the game and its offers."""
    play = playing()
    play.ask(ADA, offer("draw"))
    assert play.ask(ADA, Close("c")) == (Closed(),)
    assert play.room.phase == "closed"
    assert play.room.offers == ()
    assert not play.room.playing
