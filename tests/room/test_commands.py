"""Commands: their types on the wire, their ranges, and the facts that the application brings."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from noughts.room.commands import AnyCommand, Command, Move, Ping, Request, RoomCommand, Set

TYPES = {
    "sit",
    "stand",
    "move",
    "resign",
    "offer",
    "answer",
    "claim",
    "seat_engine",
    "chat",
    "react",
    "set",
    "free",
    "mute",
    "close",
}


def test_the_types_of_commands() -> None:
    """A command's type on the wire is its class's name."""
    assert {kind.__struct_config__.tag for kind in get_args(RoomCommand)} == TYPES
    assert Ping.__struct_config__.tag == "ping"
    assert {kind.__struct_config__.tag_field for kind in get_args(RoomCommand)} == {"type"}


def test_every_command_has_an_id() -> None:
    """The commands of players, a ping too, carry an id of 1 to 64 characters."""
    for kind in (*get_args(RoomCommand), Ping):
        assert issubclass(kind, Command)
    for command_id in ("", "x" * 65):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"type": "ping", "id": command_id}, Ping)


def test_what_the_application_brings_cannot_come_from_a_client() -> None:
    """Only a request carries a player's command; the other facts have no type on the wire."""
    facts = [kind for kind in get_args(AnyCommand) if kind is not Request]
    assert {kind.__name__ for kind in facts} == {"EngineMoved", "EngineDrawAnswer", "Wake", "Renamed"}
    assert all(kind.__struct_config__.tag is None for kind in facts)


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "move", "ply": -1, "cell": "a1"},
        {"type": "move", "ply": 1_000_001, "cell": "a1"},
        {"type": "move", "ply": 0, "cell": "a1 "},
        {"type": "move", "ply": 0, "cell": "a1\n"},
        {"type": "move", "ply": 0, "cell": "a1", "game": -1},
        {"type": "chat", "text": ""},
        {"type": "chat", "text": "x" * 281},
        {"type": "react", "emoji": "x" * 17},
        {"type": "seat_engine", "mark": "X", "level": "x" * 25},
        {"type": "mute", "player": "p_", "muted": True},
        {"type": "mute", "player": "p_a\n", "muted": True},
    ],
)
def test_a_field_out_of_range(fields: dict[str, Any]) -> None:
    """A field outside its range is not decoded."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**fields, "id": "c"}, RoomCommand)


def test_a_clock_of_null_is_not_an_absent_clock() -> None:
    """A set removes the clock with null, and leaves it when the field is absent."""
    assert msgspec.convert({"type": "set", "id": "c"}, RoomCommand) == Set("c")
    assert msgspec.convert({"type": "set", "id": "c", "clock": None}, RoomCommand) == Set("c", clock=None)
    assert Set("c") != Set("c", clock=None)


def test_a_command_is_frozen() -> None:
    """A command is a value: equal to another with the same fields, and never changed."""
    assert Move("c", 0, "a1") == Move("c", 0, "a1")
    with pytest.raises(AttributeError):
        Move("c", 0, "a1").ply = 1  # type: ignore[misc]
