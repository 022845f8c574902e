"""The one state machine: chat lines, reactions, and muting."""

from __future__ import annotations

import pytest

from noughts.room.commands import Chat, Mute, React, RoomCommand
from noughts.room.events import Reacted, Said
from noughts.room.policy import Policy
from tests.support.evening import DEE
from tests.support.room_play import ADA, BOB, CAT, LEVELS, alone, pair, playing


def test_speech_makes_no_version() -> None:
    """A chat line and a reaction are events that leave the room as it is. A chat line carries the ply."""
    play = playing()
    before = play.room
    assert play.ask(CAT, Chat("c", "well played")) == (Said("p_cat", "Cat", None, "well played", 2),)
    assert play.ask(BOB, React("c", "👍")) == (Reacted("p_bob", "Bob", "O", "👍"),)
    assert play.room is before
    assert alone().ask(ADA, Chat("c", "hello")) == (Said("p_ada", "Ada", "X", "hello", 0),)


@pytest.mark.parametrize("speech", [Chat("c", "hello"), React("c", "👍")])
def test_a_muted_person_may_not_speak(speech: RoomCommand) -> None:
    """The owner mutes one player, or all spectators; a seated player is muted by id only."""
    play = playing()
    play.ask(ADA, Mute("c", CAT.player, True))
    assert play.code(CAT, speech) == "forbidden"
    play.ask(DEE, speech)
    play.ask(ADA, Mute("c", CAT.player, False))
    play.ask(CAT, speech)
    play.ask(ADA, Mute("c", "spectators", True))
    assert play.code(CAT, speech) == "forbidden"
    play.ask(BOB, speech)
    play.ask(ADA, Mute("c", BOB.player, True))
    assert play.code(BOB, speech) == "forbidden"


def test_chat_that_the_operator_switched_off() -> None:
    """Without chat in the policy nobody may speak."""
    play = pair(policy=Policy(levels=LEVELS, chat=False))
    assert play.code(ADA, Chat("c", "hello")) == "forbidden"
    assert play.code(ADA, React("c", "👍")) == "forbidden"


def test_muting_has_a_limit() -> None:
    """A room can mute 200 players. Muting one of them again and unmuting stay possible."""
    play = playing()
    for n in range(200):
        play.ask(ADA, Mute("c", f"p_{n}", True))
    assert play.code(ADA, Mute("c", "p_one-more", True)) == "forbidden"
    play.ask(ADA, Mute("c", "p_7", True))
    play.ask(ADA, Mute("c", "p_7", False))
    play.ask(ADA, Mute("c", "p_one-more", True))
