"""The bodies of HTTP requests and responses: their ranges, and what is absent."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from noughts.protocol import openapi
from noughts.protocol.bodies import (
    DrawQr,
    ErrorView,
    NewPlayer,
    NewRoom,
    PlayerAnswer,
    QuickPlay,
    Rename,
    Resume,
    RoomAnswer,
)
from noughts.protocol.messages import GameView, PlayerView, Rejected, VerdictView, You
from noughts.protocol.views import view
from noughts.room.clock import MoveClock
from noughts.room.events import Ended
from tests.support.documents import validator
from tests.support.room_play import NAMES, POLICY, new_room

DOCUMENT = openapi.described()
GOOD: list[tuple[type[Any], dict[str, Any], object]] = [
    (NewPlayer, {}, NewPlayer()),
    (NewPlayer, {"name": None}, NewPlayer()),
    (Rename, {"name": ""}, Rename("")),  # the names' own rules reject it
    (Resume, {"code": "x" * 64}, Resume("x" * 64)),
    (NewRoom, {"variant": "classic", "opponent": "friend"}, NewRoom("classic", "friend")),
    (
        NewRoom,
        {"variant": "classic", "opponent": "engine", "mark": "random", "level": "novice"},
        NewRoom("classic", "engine", "random", "novice"),
    ),
    (
        NewRoom,
        {"variant": "classic", "opponent": "engines", "levels": ["novice", "perfect"]},
        NewRoom("classic", "engines", levels=("novice", "perfect")),
    ),
    (
        QuickPlay,
        {"variant": "classic", "clock": {"mode": "move", "move_ms": 3_000}},
        QuickPlay("classic", MoveClock(3_000)),
    ),
    (DrawQr, {"text": "x" * 120}, DrawQr("x" * 120)),
]
BAD: list[tuple[type[Any], dict[str, Any]]] = [
    (NewPlayer, {"name": 5}),
    (Rename, {}),
    (Rename, {"name": None}),
    (Resume, {"code": ""}),
    (Resume, {"code": "x" * 65}),
    (NewRoom, {"variant": "classic"}),
    (NewRoom, {"variant": "classic", "opponent": "nobody"}),
    (NewRoom, {"variant": "classic", "opponent": "friend", "mark": "x"}),
    (NewRoom, {"variant": "classic", "opponent": "engines", "levels": ["novice"]}),
    (NewRoom, {"variant": "classic", "opponent": "engines", "levels": ["novice"] * 3}),
    (NewRoom, {"variant": "classic", "opponent": "friend", "visibility": "secret"}),
    (QuickPlay, {"variant": "classic", "clock": {"mode": "fischer", "initial_ms": 10_000}}),
    (QuickPlay, {"variant": "classic", "clock": {"mode": "move", "move_ms": 2_999}}),
    (DrawQr, {"text": ""}),
    (DrawQr, {"text": "x" * 513}),
]


@pytest.mark.parametrize(("kind", "fields", "body"), GOOD)
def test_a_body(kind: type[Any], fields: dict[str, Any], body: object) -> None:
    """A body is read into its type, as the document says; unknown fields are ignored."""
    assert msgspec.convert(fields, kind) == body
    assert msgspec.convert({**fields, "of_tomorrow": 1}, kind) == body
    assert validator(DOCUMENT, kind.__name__).is_valid({**fields, "of_tomorrow": 1})


@pytest.mark.parametrize(("kind", "fields"), BAD)
def test_a_bad_body(kind: type[Any], fields: dict[str, Any]) -> None:
    """A field that is missing, of the wrong type or out of range is not read."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, kind)
    assert not validator(DOCUMENT, kind.__name__).is_valid(fields)


PLAYER = PlayerView("p_a", "Ada")
GAME = GameView(1, "classic", (), {}, "X", (), None, False)


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (PlayerAnswer(PLAYER), "player"),
        (PlayerAnswer(PLAYER, "secret"), "player token"),
        (RoomAnswer(view(new_room(), POLICY, NAMES), "url"), "room url"),
        (ErrorView("bad_message", "No."), "code message"),
        (ErrorView("illegal_move", "No.", 0), "code message ply"),
        (Rejected("1", "stale", "No."), "type id code message"),
        (Rejected("1", "rate_limited", "Wait.", 900), "type id code message retry_ms"),
        (You(None, False, ()), "mark owner can"),
        (GAME, "number variant moves marks turn legal outcome swapped"),
        (
            replace(GAME, fading=None, forced=None),
            "number variant moves marks turn legal outcome swapped fading forced",
        ),
        (VerdictView("unknown", None, "none"), "value plies proof"),
        (Ended(1, None, "agreement"), "type game winner reason mark cell"),
    ],
)
def test_absent_fields(value: msgspec.Struct, fields: str) -> None:
    """A secret, a time to wait, a ply and a field of some variants are absent where there are none. Others are null."""
    assert list(msgspec.to_builtins(value)) == fields.split()
