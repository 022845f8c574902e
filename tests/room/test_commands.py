"""Commands: their types on the wire, their ranges, and the facts that the application brings."""

from __future__ import annotations

from typing import get_args

from noughts.room.commands import AnyCommand, Request


def test_clients_cannot_send_facts_of_the_application() -> None:
    """Only a request carries a player's command; the other facts have no type on the wire."""
    facts = [kind for kind in get_args(AnyCommand) if kind is not Request]
    names = {"EngineMoved", "EngineSwapped", "EngineDrawAnswer", "Wake", "Noticed", "BeginGame", "EndGame", "Discard"}
    assert {kind.__name__ for kind in facts} == names
    assert all(kind.__struct_config__.tag is None for kind in facts)
