"""JSON Schemas of the wire, generated from its types, for both machine-readable documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from noughts.engine.levels import LEVELS
from noughts.protocol.bodies import NewRoom, QuickPlay
from noughts.protocol.messages import REACTIONS
from noughts.room.commands import Chat, React, SeatEngine, Set
from noughts.rules.variant import VARIANTS

Schema: TypeAlias = dict[str, Any]

_WHERE: Final = "#/components/schemas/{name}"
_NAMES_SENT: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        NewRoom.__name__: {"variant": tuple(VARIANTS), "level": tuple(LEVELS), "levels": tuple(LEVELS)},
        QuickPlay.__name__: {"variant": tuple(VARIANTS)},
        Set.__name__: {"variant": tuple(VARIANTS)},
        SeatEngine.__name__: {"level": tuple(LEVELS)},
        React.__name__: {"emoji": REACTIONS},
    }
)
"""The names that a client may send in fields of type text. In the server's messages they are plain text: more may come."""
_UNANNOTATED: Final[Mapping[str, str]] = MappingProxyType(
    {"kind": "the type of the object", "mode": "the type of the object", "X": "the same for X", "O": "the same for O"}
)
"""The meanings of tags and of the fields of ``ByMark``, which carry none in their types."""
_CHAT_PATTERN: Final = (
    r"^[^\u0000-\u0009\u000e-\u001f\u007f-\u0084\u0086-\u009f"
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ue000-\uf8ff]*$"
)
"""A chat line without the characters of ``printable.FORBIDDEN`` that are no line breaks, in ECMA's syntax.

That syntax has no ranges above U+FFFF, so the private ones there are left out.
"""

_ROLE: Final = re.compile(r":[a-z]+:`~?([^`]+)`")
_LITERAL: Final = re.compile(r"``([^`]+)``")


def ref(kind: type) -> Schema:
    """Return a reference to the schema of a type."""
    return {"$ref": _WHERE.format(name=kind.__name__)}


def schemas(kinds: Iterable[type]) -> dict[str, Schema]:
    """Return the schemas of these types and of all that they contain, by name, sorted."""
    _, components = msgspec.json.schema_components(kinds, ref_template=_WHERE)
    for name, words in _NAMES_SENT.items():
        for field, allowed in words.items():
            if name in components:
                properties = components[name]["properties"]
                properties[field] = _only(properties[field], allowed)
    if Chat.__name__ in components:
        components[Chat.__name__]["properties"]["text"]["pattern"] = _CHAT_PATTERN
    named = {_short(name): {**_plain(schema), "title": _short(name)} for name, schema in components.items()}
    for schema in named.values():
        for field, content in schema.get("properties", {}).items():
            if field in _UNANNOTATED:
                content.setdefault("description", _UNANNOTATED[field])
    return {name: named[name] for name in sorted(named)}


def _short(name: str) -> str:
    """Return the name of a schema. For a generic type it comes from a table, because msgspec's lists all its parameters."""
    generic, _, argument = name.partition("_")
    if not argument:
        return name
    kinds = [part.rpartition(".")[2] for part in argument.rstrip("_").split("___")]
    return _GENERIC_NAMES.get((generic, *kinds)) or "Or".join(kinds) + generic


_GENERIC_NAMES: Final[Mapping[tuple[str, ...], str]] = MappingProxyType(
    {
        ("ByMark", "HumanSeatView", "EngineSeatView", "None"): "SeatsView",
        ("ByMark", "HumanSeatView", "EngineSeatView"): "PlayersView",
        ("ByMark", "SeatPresence", "None"): "PresenceView",
    }
)


def prose(docstring: str | None) -> str:
    """Return a docstring as Markdown in one line."""
    text = _LITERAL.sub(r"`\1`", docstring or "")
    text = _ROLE.sub(lambda role: f"`{role[1].rpartition('.')[2]}`", text)
    return " ".join(text.split())


def _only(schema: Schema, words: tuple[str, ...]) -> Schema:
    """Return a schema of type text, limited to some names."""
    if schema.get("type") == "string":
        return {"enum": list(words)} | {key: value for key, value in schema.items() if key == "description"}
    return {
        key: [_only(part, words) for part in value]
        if key == "anyOf"
        else _only(value, words)
        if key == "items"
        else value
        for key, value in schema.items()
    }


def _plain(schema: Any) -> Any:
    """Rewrite a schema for all tools: Markdown descriptions, ECMA's regular expressions, ``const`` for a single choice.

    OpenAPI's ``discriminator`` means something else in AsyncAPI. Both do without, because every ``type`` is a constant.
    """
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items() if key != "discriminator"}
    if isinstance(plain.get("$ref"), str):
        path, _, name = plain["$ref"].rpartition("/")
        plain["$ref"] = f"{path}/{_short(name)}"
    if isinstance(plain.get("description"), str):
        plain["description"] = prose(plain["description"])
    if isinstance(plain.get("pattern"), str):
        plain["pattern"] = plain["pattern"].replace(r"\Z", "$")
    if isinstance(plain.get("enum"), list) and len(plain["enum"]) == 1:
        plain["const"] = plain.pop("enum")[0]
    return plain
