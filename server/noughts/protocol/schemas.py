"""JSON Schemas of the wire, generated from its types: what both machine-readable documents are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from noughts.engine.levels import LEVELS
from noughts.protocol.calls import NewRoom, QuickPlay
from noughts.protocol.messages import REACTIONS, RoomMessage, View
from noughts.room.commands import React, SeatEngine, Set
from noughts.rules.variant import VARIANTS

Schema: TypeAlias = dict[str, Any]

_WHERE: Final = "#/components/schemas/{name}"
_ASKED: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        NewRoom.__name__: {"variant": tuple(VARIANTS), "level": tuple(LEVELS), "levels": tuple(LEVELS)},
        QuickPlay.__name__: {"variant": tuple(VARIANTS)},
        Set.__name__: {"variant": tuple(VARIANTS)},
        SeatEngine.__name__: {"level": tuple(LEVELS)},
        React.__name__: {"emoji": REACTIONS},
    }
)
"""The words that a client may send where the type says only text. In answers they stay text, since more may come."""

_ROLE: Final = re.compile(r":[a-z]+:`~?([^`]+)`")
_LITERAL: Final = re.compile(r"``([^`]+)``")


def ref(kind: type) -> Schema:
    """A reference to the schema of a type."""
    return {"$ref": _WHERE.format(name=kind.__name__)}


def schemas(kinds: Iterable[Any]) -> dict[str, Schema]:
    """The schemas of these types and of all that they hold, by name, in the order of the names."""
    _, found = msgspec.json.schema_components([*kinds, View], ref_template=_WHERE)
    if RoomMessage.__name__ in found:
        # A view is encoded once for all audiences, so that the message holds it as text.
        found[RoomMessage.__name__]["properties"]["room"] = ref(View)
    for name, words in _ASKED.items():
        for field, allowed in words.items():
            if name in found:
                properties = found[name]["properties"]
                properties[field] = _only(properties[field], allowed)
    return {name: _plain(found[name]) for name in sorted(found)}


def prose(docstring: str | None) -> str:
    """A docstring as Markdown in one line."""
    text = _LITERAL.sub(r"`\1`", docstring or "")
    text = _ROLE.sub(lambda role: f"`{role[1].rpartition('.')[2]}`", text)
    return " ".join(text.split())


def _only(schema: Schema, words: tuple[str, ...]) -> Schema:
    """The schema with its text narrowed to some words."""
    if schema.get("type") == "string":
        return {"enum": list(words)}
    return {
        key: [_only(part, words) for part in value]
        if key == "anyOf"
        else _only(value, words)
        if key == "items"
        else value
        for key, value in schema.items()
    }


def _plain(schema: Any) -> Any:
    """The schema in words that every reader knows: Markdown, ECMA's regular expressions, a constant for a single choice."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items()}
    if isinstance(plain.get("description"), str):
        plain["description"] = prose(plain["description"])
    if isinstance(plain.get("pattern"), str):
        plain["pattern"] = plain["pattern"].replace(r"\Z", "$")
    if isinstance(plain.get("enum"), list) and len(plain["enum"]) == 1:
        plain["const"] = plain.pop("enum")[0]
    return plain
