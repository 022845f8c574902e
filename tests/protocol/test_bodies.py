"""The bodies of HTTP requests and responses: their ranges, and what is absent."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from noughts.protocol.bodies import (
    DrawQr,
    ErrorAnswer,
    ErrorView,
    NewPlayer,
    NewRoom,
    PlayerAnswer,
    QuickPlay,
    Rename,
    Resume,
    RoomAnswer,
)
from noughts.protocol.messages import PlayerView
from noughts.protocol.views import view
from noughts.room.clock import MoveClock
from tests.support.room_play import POLICY, new_room

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
    (QuickPlay, {"variant": "classic", "clock": {"mode": "move", "move_ms": 2_999}}),
    (DrawQr, {"text": ""}),
    (DrawQr, {"text": "x" * 513}),
]


@pytest.mark.parametrize(("kind", "fields", "body"), GOOD)
def test_a_body(kind: type[Any], fields: dict[str, Any], body: object) -> None:
    """A body is read into its type; unknown fields are ignored."""
    assert msgspec.convert(fields, kind) == body
    assert msgspec.convert({**fields, "of_tomorrow": 1}, kind) == body


@pytest.mark.parametrize(("kind", "fields"), BAD)
def test_a_bad_body(kind: type[Any], fields: dict[str, Any]) -> None:
    """A field that is missing, of the wrong type or out of range is not read."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, kind)


def test_absent_fields_of_an_answer() -> None:
    """A token, an invite, a link to watch and a ply are absent where there are none."""
    player = PlayerView("p_a", "Ada")
    assert set(msgspec.to_builtins(PlayerAnswer(player))) == {"player"}
    assert set(msgspec.to_builtins(PlayerAnswer(player, "secret"))) == {"player", "token"}
    assert set(msgspec.to_builtins(RoomAnswer(view(new_room(), POLICY), "url"))) == {"room", "url"}
    assert msgspec.to_builtins(ErrorAnswer(ErrorView("bad_message", "No."))) == {
        "error": {"code": "bad_message", "message": "No."}
    }
    assert msgspec.to_builtins(ErrorView("illegal_move", "No.", 0))["ply"] == 0
