"""JSON Schemas of the wire: names, references, narrowed fields, and plain words."""

from __future__ import annotations

import re
from typing import Any, Final, get_args

import jsonschema_rs
import pytest

from noughts.engine.levels import LEVELS
from noughts.protocol import asyncapi, openapi
from noughts.protocol.bodies import NewRoom, QuickPlay
from noughts.protocol.messages import REACTIONS, GameRecord, ServerMessage
from noughts.protocol.schemas import prose, schemas
from noughts.room.commands import React, RoomCommand, SeatEngine, Set
from noughts.room.events import ViewEvent
from noughts.rules.variant import VARIANTS
from tests.support.documents import references

EVERYTHING = schemas([*get_args(RoomCommand), *get_args(ServerMessage), GameRecord, NewRoom, QuickPlay])
DESCRIBED = asyncapi.described(8_192)["components"]["schemas"] | openapi.described()["components"]["schemas"]
FIELDS: Final = {
    # messages
    "Welcome": "type protocol player now_ms reactions page?",
    "Ok": "type id version",
    "Rejected": "type id code message retry_ms?",
    "Pong": "type id now_ms",
    "RoomMessage": "type version event room you",
    "Crowd": "type seats spectators names",
    "ChatMessage": "type lines",
    "Reaction": "type from emoji",
    "Lobby": "type open live players rooms",
    # events
    "Sat": "type mark player name",
    "Stood": "type mark",
    "Started": "type game",
    "Moved": "type mark cell by",
    "Ended": "type game winner reason mark? cell? series?",
    "Offered": "type what by",
    "Withdrawn": "type what by",
    "Declined": "type what by",
    "TookBack": "type by ply",
    "EngineSeated": "type mark level",
    "Claimable": "type mark",
    "Settings": "type",
    "Closed": "type",
    "Swapped": "type by",
    "TimeGiven": "type by ms",
    # their parts
    "View": "id version variant visibility join owner phase seats game clock offers score draws spectator_chat created_ms"
    " expires_ms series swap tournament?",
    "GameView": "number variant moves marks turn legal outcome swapped fading? boards? forced? from?",
    "OutcomeView": "winner reason cells",
    "ClockView": "mode X_ms O_ms running at_ms setting first_move_by_ms",
    "HumanSeatView": "kind player name bot?",
    "EngineSeatView": "kind level holding_for?",
    "OpenOffer": "what by",
    "Score": "player wins",
    "You": "mark owner can invite?",
    "PlayerView": "id name bot?",
    "SeatPresence": "present away_ms claimable_in_ms",
    "ChatLine": "n at_ms from text ply",
    "Speaker": "player name mark",
    "OpenRoom": "id variant clock owner mark created_ms",
    "LiveRoom": "id variant clock seats ply spectators",
    "GameRecord": "variant number players moves outcome swapped legal?",
    "MoveRecord": "cell mark by at_ms removed decided",
    "Decided": "board by",
}
"""The fields that clients rely on, in their order. Those with a question mark may be absent, or have a default."""
TYPES: Final = {
    "TookBack": "took_back",
    "EngineSeated": "engine_seated",
    "TimeGiven": "time_given",
    "RoomMessage": "room",
    "ChatMessage": "chat",
}
"""The values of ``type`` that are not the name in lower case."""


def test_names_are_plain_and_sorted() -> None:
    """The names of schemas are those of types, without modules, in order. Every reference leads to one."""
    assert list(EVERYTHING) == sorted(EVERYTHING)
    assert all(re.fullmatch("[A-Za-z]+", name) for name in EVERYTHING)
    assert "noughts." not in str(EVERYTHING)
    assert {reference.rpartition("/")[2] for reference in references(EVERYTHING)} <= set(EVERYTHING)


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_schema(name: str) -> None:
    """Each schema is valid, has a title and says what it is."""
    jsonschema_rs.meta.validate(EVERYTHING[name])
    assert EVERYTHING[name]["title"] == name
    assert EVERYTHING[name]["description"]


@pytest.mark.parametrize("name", DESCRIBED)
def test_every_field_has_a_meaning(name: str) -> None:
    """The ``type`` of a message needs none."""
    fields = DESCRIBED[name].get("properties", {}).items()
    assert [field for field, content in fields if field != "type" and not content.get("description")] == []


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_of_a_message(name: str) -> None:
    properties, required = EVERYTHING[name]["properties"], EVERYTHING[name].get("required", ())
    assert " ".join(f"{field}{'' if field in required else '?'}" for field in properties) == FIELDS[name]
    if "type" in properties:
        assert properties["type"] == {"const": TYPES.get(name, name.lower())}


def test_the_messages_above_are_all() -> None:
    names = {kind.__name__ for kind in (*get_args(ServerMessage), *get_args(ViewEvent))}
    assert names == {name for name, fields in FIELDS.items() if fields.startswith("type")}


def words(schema: Any) -> tuple[str, ...]:
    """Return the enumerated words of a field, also where it may be null or is a list."""
    names = schema.get("enum")
    if names is None:
        parts = [part for part in schema.get("anyOf", [schema.get("items", {})]) if part.get("type") != "null"]
        return words(parts[0])
    return tuple(names)


@pytest.mark.parametrize(
    ("name", "field", "names"),
    [
        (Set.__name__, "variant", tuple(VARIANTS)),
        (SeatEngine.__name__, "level", tuple(LEVELS)),
        (React.__name__, "emoji", REACTIONS),
        (NewRoom.__name__, "variant", tuple(VARIANTS)),
        (NewRoom.__name__, "level", tuple(LEVELS)),
        (NewRoom.__name__, "levels", tuple(LEVELS)),
        (QuickPlay.__name__, "variant", tuple(VARIANTS)),
    ],
)
def test_names_that_a_client_may_send(name: str, field: str, names: tuple[str, ...]) -> None:
    """Where a client names a variant, a level or a reaction, the schema lists those that exist."""
    assert words(EVERYTHING[name]["properties"][field]) == names


def test_names_from_the_server_stay_text() -> None:
    """In the server's messages more variants may come, so they are text."""
    assert EVERYTHING["View"]["properties"]["variant"].items() >= {"type": "string"}.items()


def test_plain_words() -> None:
    """Patterns are ECMA's, and a choice of one word is a constant."""
    assert EVERYTHING["Move"]["properties"]["cell"]["pattern"] == r"^[A-Za-z][0-9]+(\.[0-9]+)?$"
    assert EVERYTHING["Move"]["properties"]["type"] == {"const": "move"}


@pytest.mark.parametrize(
    ("docstring", "text"),
    [
        (None, ""),
        ("A word.", "A word."),
        ("Two\n\n    lines.", "Two lines."),
        ("A ``literal`` word.", "A `literal` word."),
        ("See :data:`noughts.protocol.messages.REACTIONS`.", "See `REACTIONS`."),
        ("See :class:`~noughts.errors.Rejection`.", "See `Rejection`."),
    ],
)
def test_a_docstring_as_markdown(docstring: str | None, text: str) -> None:
    """A docstring becomes one line of Markdown."""
    assert prose(docstring) == text
