"""Messages of the server: their types and fields on the wire."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from noughts.protocol.codec import encode
from noughts.protocol.messages import (
    PROTOCOL,
    REACTIONS,
    ChatLine,
    ChatMessage,
    Crowd,
    GameView,
    Lobby,
    Ok,
    PlayerView,
    Pong,
    Reaction,
    Rejected,
    RoomMessage,
    SeatPresence,
    ServerMessage,
    Speaker,
    VerdictView,
    Welcome,
    You,
)
from noughts.protocol.views import view
from noughts.rules.by_mark import ByMark
from tests.support.room_play import POLICY, new_room

ADA = Speaker("p_a", "Ada", "X")
ADA_JSON = {"player": "p_a", "name": "Ada", "mark": "X"}

MESSAGES: list[tuple[ServerMessage, dict[str, Any]]] = [
    (
        Welcome(PROTOCOL, PlayerView("p_a", "Ada"), 5, REACTIONS),
        {
            "type": "welcome",
            "protocol": 1,
            "player": {"id": "p_a", "name": "Ada"},
            "now_ms": 5,
            "reactions": list(REACTIONS),
        },
    ),
    (
        Welcome(PROTOCOL, None, 5, ()),
        {"type": "welcome", "protocol": 1, "player": None, "now_ms": 5, "reactions": []},
    ),
    (Ok("1", 12), {"type": "ok", "id": "1", "version": 12}),
    (Pong("1", 5), {"type": "pong", "id": "1", "now_ms": 5}),
    (
        Rejected(None, "bad_message", "No."),
        {"type": "rejected", "id": None, "code": "bad_message", "message": "No."},
    ),
    (
        Rejected("1", "rate_limited", "Wait.", 900),
        {"type": "rejected", "id": "1", "code": "rate_limited", "message": "Wait.", "retry_ms": 900},
    ),
    (
        RoomMessage(3, None, view(new_room(), POLICY), You("X", True, ("move",), "secret")),
        {
            "type": "room",
            "version": 3,
            "event": None,
            "you": {"mark": "X", "owner": True, "can": ["move"], "invite": "secret"},
            "room": msgspec.json.decode(encode(view(new_room(), POLICY))),
        },
    ),
    (
        Crowd(ByMark(SeatPresence(True, None, None), None), 2, ("Cat",)),
        {
            "type": "crowd",
            "seats": {"X": {"present": True, "away_ms": None, "claimable_in_ms": None}, "O": None},
            "spectators": 2,
            "names": ["Cat"],
        },
    ),
    (
        ChatMessage((ChatLine(1, 5, ADA, "hello", 3),)),
        {"type": "chat", "lines": [{"n": 1, "at_ms": 5, "from": ADA_JSON, "text": "hello", "ply": 3}]},
    ),
    (Reaction(ADA, "👍"), {"type": "reaction", "from": ADA_JSON, "emoji": "👍"}),
    (Lobby((), (), 3, 2), {"type": "lobby", "open": [], "live": [], "players": 3, "rooms": 2}),
]


@pytest.mark.parametrize(("message", "fields"), MESSAGES)
def test_a_message_on_the_wire(message: ServerMessage, fields: dict[str, Any]) -> None:
    """A message has exactly its fields."""
    assert msgspec.json.decode(encode(message)) == fields


def test_the_messages_above_are_all() -> None:
    """Every message of the server is in the table above."""
    assert {type(message) for message, _ in MESSAGES} == set(get_args(ServerMessage))


def test_absent_fields() -> None:
    """Fields that only some variants have, and the invite, are absent elsewhere; a verdict's fields never are."""
    view = GameView(1, "classic", (), {}, "X", (), None)
    assert set(msgspec.to_builtins(view)) == {"number", "variant", "moves", "marks", "turn", "legal", "outcome"}
    assert set(msgspec.to_builtins(msgspec.structs.replace(view, fading=None, forced=None))) == {
        "number", "variant", "moves", "marks", "turn", "legal", "outcome", "fading", "forced"
    }  # fmt: skip
    assert set(msgspec.to_builtins(You(None, False, ()))) == {"mark", "owner", "can"}
    assert msgspec.to_builtins(VerdictView("unknown", None, "none")) == {
        "value": "unknown",
        "plies": None,
        "proof": "none",
    }
