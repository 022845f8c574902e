"""Commands: their types on the wire, their ranges, and the facts that the application brings."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from noughts.room.commands import AnyCommand, Command, Ping, Request, RoomCommand, Set


def test_every_command_has_an_id() -> None:
    """The commands of players, a ping too, carry an id of 1 to 64 characters."""
    for kind in (*get_args(RoomCommand), Ping):
        assert issubclass(kind, Command)
    for command_id in ("", "x" * 65):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"type": "ping", "id": command_id}, Ping)


def test_clients_cannot_send_facts_of_the_application() -> None:
    """Only a request carries a player's command; the other facts have no type on the wire."""
    facts = [kind for kind in get_args(AnyCommand) if kind is not Request]
    assert {kind.__name__ for kind in facts} == {"EngineMoved", "EngineDrawAnswer", "Wake", "Renamed"}
    assert all(kind.__struct_config__.tag is None for kind in facts)


def test_a_clock_of_null_is_not_an_absent_clock() -> None:
    """A set removes the clock with null, and leaves it when the field is absent."""
    assert msgspec.convert({"type": "set", "id": "c"}, RoomCommand) == Set("c")
    assert msgspec.convert({"type": "set", "id": "c", "clock": None}, RoomCommand) == Set("c", clock=None)
    assert Set("c") != Set("c", clock=None)
