"""JSON Schemas of the wire: names, references, narrowed fields, and plain words."""

from __future__ import annotations

import re
from typing import Any, get_args

import jsonschema_rs
import pytest

from noughts.engine.levels import LEVELS
from noughts.protocol.bodies import NewRoom, QuickPlay
from noughts.protocol.messages import REACTIONS, GameRecord, RoomMessage, ServerMessage, View
from noughts.protocol.schemas import prose, ref, schemas
from noughts.room.commands import Move, React, RoomCommand, SeatEngine, Set
from noughts.rules.variant import VARIANTS
from tests.support.documents import references

EVERYTHING = schemas([*get_args(RoomCommand), *get_args(ServerMessage), GameRecord, NewRoom, QuickPlay])


def test_a_reference() -> None:
    """A type is referred to by its name."""
    assert ref(Move) == {"$ref": "#/components/schemas/Move"}


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


def test_a_room_message_has_its_shared_and_its_own_fields() -> None:
    """The schema of a room message lists the fields that all audiences share, and ``you``."""
    properties = schemas([RoomMessage])["RoomMessage"]["properties"]
    assert list(properties) == ["type", "version", "event", "room", "you"]
    assert properties["room"] == ref(View)


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
    assert EVERYTHING["View"]["properties"]["variant"] == {"type": "string"}


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
