"""Room messages carried on from move to move: byte for byte the view and YOU, encoded."""

from __future__ import annotations

import json
import random
from typing import Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import encode
from noughts.protocol.messages import RoomMessage
from noughts.protocol.view_writer import ViewWriter, event_json
from noughts.protocol.views import view
from noughts.room.commands import Close, Mute
from noughts.room.events import Moved, ViewEvent
from noughts.room.game_flow import start_game
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room
from noughts.rules.variant import VARIANTS
from tests.support.evening import Evening
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    MOVE_5S,
    POLICY,
    T0,
    RoomPlay,
    alone,
    new_room,
    offer,
    pair,
    playing,
    resign,
    room_of,
    seat_of,
)

AUDIENCES: Final[tuple[Audience, ...]] = ("X", "O", "owner", "everyone")


def message_of(room: Room, audience: Audience, presence: Presence, event: ViewEvent | None, policy: Policy) -> bytes:
    """Return the room message that a writer must write."""
    raw = msgspec.Raw(encode(view(room, policy)))
    return encode(RoomMessage(room.version, event, you(room, audience, presence, policy), raw))


def check_evening(evening: Evening, acts: int) -> None:
    """Check what one writer writes after every act, with one presence until another differs."""
    writer = ViewWriter(evening.policy)
    presence = evening.presence
    for _ in evening.acts(acts):
        if presence != evening.presence:
            presence = evening.presence
        room = evening.room
        for audience in AUDIENCES:
            message = writer.message(room, audience, presence, event_json(None))
            assert message == message_of(room, audience, presence, None, evening.policy)


@pytest.mark.parametrize("variant", list(VARIANTS))
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(choose=st.randoms(use_true_random=False))
def test_what_is_written_is_the_view(variant: str, choose: random.Random) -> None:
    """After every act of an evening the writer's bytes are the view's and YOU's."""
    check_evening(Evening(choose, variant), 60)


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_all_evening(variant: str, seed: int) -> None:
    """Through a long evening the writer's bytes are the view's and YOU's."""
    check_evening(Evening(random.Random(f"{variant} {seed}"), variant), 300)


def test_a_room_message() -> None:
    """A message has the version, the event, what the audience can do, and the view."""
    play = pair()
    play.moves("b2")
    event = play.events[0]
    assert isinstance(event, Moved)
    writer = ViewWriter(POLICY)
    for each in (event, None):
        for audience in AUDIENCES:
            message = writer.message(play.room, audience, play.presence, event_json(each))
            assert message == message_of(play.room, audience, play.presence, each, POLICY)
    fields = json.loads(writer.message(play.room, "O", play.presence, event_json(event)))
    assert set(fields) == {"type", "version", "event", "you", "room"}
    assert fields["type"] == "room"
    assert fields["event"] == {"type": "moved", "mark": "X", "cell": "b2", "by": "p_ada"}
    assert fields["version"] == fields["room"]["version"] == 2


def check_steps(writer: ViewWriter, rooms: list[Room]) -> None:
    """Check the messages of rooms that one writer writes in turn."""
    for room in rooms:
        message = writer.message(room, "X", NO_PRESENCE, b"null")
        assert message == message_of(room, "X", NO_PRESENCE, None, POLICY)


@pytest.mark.parametrize("name", ['"game":null', '\\","variant":"', "<é\u2028😀>"])
def test_any_name_of_a_player(name: str) -> None:
    """A player's name cannot be taken for a part of the view."""
    ada = msgspec.structs.replace(ADA, name=name)
    rooms = [room_of(seat_of(ada), None, owner=ada), new_room(owner=ada)]
    check_steps(ViewWriter(POLICY), rooms)


def test_a_room_that_is_closed_in_mid_game() -> None:
    """No side is to move in a closed room."""
    play: RoomPlay = playing(clock=MOVE_5S)
    writer = ViewWriter(POLICY)
    check_steps(writer, [alone().room, play.room])
    play.ask(ADA, Close("c"))
    check_steps(writer, [play.room])


def test_muting_reaches_the_muted() -> None:
    """What an audience can do is written anew when the owner mutes somebody."""
    play = pair()
    writer, presence = ViewWriter(POLICY), play.presence
    before = writer.message(play.room, "O", presence, b"null")
    play.ask(ADA, Mute("c", BOB.player, True))
    after = writer.message(play.room, "O", presence, b"null")
    assert b'"chat"' in before
    assert b'"chat"' not in after


def test_marks_swap_while_a_player_is_away() -> None:
    """Whom the owner can free follows the player, though the seats look alike and nobody came or went."""
    play = RoomPlay(start_game(room_of(seat_of(BOB), seat_of(CAT)), T0).room)
    play.disconnect(BOB)
    presence, writer = play.presence, ViewWriter(POLICY)
    for _ in range(2):
        play.ask(CAT, resign())
        expected = message_of(play.room, "owner", presence, None, POLICY)
        assert writer.message(play.room, "owner", presence, b"null") == expected
        play.ask(CAT, offer("rematch"))
        play.ask(BOB, offer("rematch"))
