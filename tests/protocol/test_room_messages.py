"""Room messages: byte for byte what encoding a whole :class:`RoomMessage` gives, whatever was encoded before."""

from __future__ import annotations

import random
from typing import Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noughts.protocol import room_messages
from noughts.protocol.audience import Audience, you
from noughts.protocol.codec import encode
from noughts.protocol.messages import RoomMessage, You
from noughts.protocol.room_messages import MAX_SEATINGS, RoomMessages
from noughts.protocol.views import view
from noughts.room.events import Sat, ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.rules.variant import VARIANTS
from tests.support.evening import Evening
from tests.support.room_play import NAMES, POLICY, pair

AUDIENCES: Final[tuple[Audience, ...]] = ("X", "O", "owner", "everyone")
EVENTS: Final = (None, Sat("X", "p_ada", '<é\u2028😀>"},"you":{}'))


def whole_message(room: Room, event: ViewEvent | None, presence: Presence, audience: Audience, policy: Policy) -> bytes:
    """Return a room message that is encoded at once."""
    own = you(room, presence, policy, audience)
    return encode(RoomMessage(room.version, event, view(room, policy, NAMES), own))


def check(messages: RoomMessages, room: Room, event: ViewEvent | None, presence: Presence, policy: Policy) -> None:
    """Check the messages to every audience."""
    for audience in (*AUDIENCES, *AUDIENCES):
        message = messages.message(room, event, presence, audience, NAMES)
        assert message == whole_message(room, event, presence, audience, policy)


@pytest.mark.parametrize("variant", list(VARIANTS))
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(choose=st.randoms(use_true_random=False))
def test_messages_in_parts_equal_whole_messages(variant: str, choose: random.Random) -> None:
    """After every act of an evening, in order and then backwards, with and without an event."""
    evening = Evening(choose, variant)
    messages = RoomMessages(evening.policy)
    seen = []
    for _ in evening.acts(80):
        check(messages, evening.room, choose.choice(EVENTS), evening.presence, evening.policy)
        seen.append((evening.room, evening.presence))
    for room, presence in seen[:-10:-1]:
        check(messages, room, None, presence, evening.policy)


def test_a_room_keeps_few_seatings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room in which other players sit down again and again stays small, and its messages right."""
    encoded = []

    def counted_you(room: Room, presence: Presence, policy: Policy, audience: Audience) -> You:
        encoded.append(room.version)
        return you(room, presence, policy, audience)

    monkeypatch.setattr(room_messages, "you", counted_you)
    messages, play = RoomMessages(POLICY), pair()
    for number in range(3 * MAX_SEATINGS):
        room = msgspec.structs.replace(play.room, version=number, muted=(f"p_{number}",))
        check(messages, room, None, play.presence, POLICY)
    encoded.clear()
    for version, number in ((1, 3 * MAX_SEATINGS - 1), (2, 0)):  # the newest seating is kept, the first one is not
        room = msgspec.structs.replace(play.room, version=version, muted=(f"p_{number}",))
        check(messages, room, None, play.presence, POLICY)
    assert encoded == [2] * len(AUDIENCES)


def test_moves_while_all_else_stays() -> None:
    """Each move fills the gaps of a message that was encoded before."""
    messages, play = RoomMessages(POLICY), pair()
    presence = play.presence
    for cell in ("b2", "a1", "c3"):
        play.moves(cell)
        check(messages, play.room, None, presence, POLICY)
