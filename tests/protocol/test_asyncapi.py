"""The AsyncAPI document: well-formed, complete, and in agreement with the codec."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final, get_args

import jsonschema_rs
import msgspec
import pytest

from noughts.protocol import asyncapi
from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.close_codes import CLOSE_CODES
from noughts.protocol.codec import MalformedCommandError, decode_command
from noughts.protocol.messages import REACTIONS
from noughts.room.events import ViewEvent
from tests.support.documents import dead_references, references, validator

DOCUMENT = json.loads(bytes(asyncapi.document()))
SCHEMA: Final = Path(__file__).parents[2] / "node_modules" / "@asyncapi" / "specs" / "schemas" / "3.0.0.json"
COMMAND = validator(DOCUMENT, *(kind.__name__ for kind in COMMANDS))

GOOD: Final[list[dict[str, Any]]] = [
    {"type": "sit", "id": "1", "mark": "X"},
    {"type": "sit", "id": "1", "mark": "O", "invite": "secret"},
    {"type": "stand", "id": "1"},
    {"type": "move", "id": "1", "ply": 0, "cell": "b2"},
    {"type": "move", "id": "1", "ply": 3, "cell": "b2.3", "game": 2},
    {"type": "resign", "id": "1"},
    {"type": "offer", "id": "1", "what": "takeback"},
    {"type": "answer", "id": "1", "what": "rematch", "accept": False},
    {"type": "claim", "id": "1", "what": "draw"},
    {"type": "seat_engine", "id": "1", "mark": "O", "level": "perfect"},
    {"type": "chat", "id": "1", "text": "hello"},
    {"type": "react", "id": "1", "emoji": REACTIONS[0]},
    {"type": "set", "id": "1", "clock": None},
    {"type": "set", "id": "1", "variant": "gomoku", "clock": {"mode": "move", "move_ms": 60_000}},
    {"type": "free", "id": "1", "mark": "X"},
    {"type": "mute", "id": "1", "player": "p_abc", "muted": True},
    {"type": "mute", "id": "1", "player": "spectators", "muted": False},
    {"type": "close", "id": "1"},
    {"type": "ping", "id": "1"},
    {"type": "ping", "id": "1", "further": "fields are ignored"},
]
BAD: Final[list[dict[str, Any]]] = [
    {"type": "sit", "id": "1"},
    {"type": "sit", "id": "1", "mark": "x"},
    {"type": "stand"},
    {"type": "stand", "id": ""},
    {"type": "stand", "id": "i" * 65},
    {"type": "move", "id": "1", "ply": -1, "cell": "b2"},
    {"type": "move", "id": "1", "ply": 0, "cell": "2b"},
    {"type": "move", "id": "1", "ply": 0, "cell": "b2."},
    {"type": "move", "id": "1", "ply": "0", "cell": "b2"},
    {"type": "offer", "id": "1", "what": "peace"},
    {"type": "answer", "id": "1", "what": "draw"},
    {"type": "claim", "id": "1", "what": "rematch"},
    {"type": "seat_engine", "id": "1", "mark": "O", "level": "wizard"},
    {"type": "chat", "id": "1", "text": ""},
    {"type": "chat", "id": "1", "text": "x" * 281},
    {"type": "react", "id": "1", "emoji": "x"},
    {"type": "set", "id": "1", "variant": "chess"},
    {"type": "set", "id": "1", "clock": {"mode": "move", "move_ms": 1}},
    {"type": "mute", "id": "1", "player": "everybody", "muted": True},
    {"type": "dance", "id": "1"},
]


@pytest.mark.skipif(
    not SCHEMA.exists() and os.environ.get("CI") != "true", reason="the published schema is not installed: run npm ci"
)
def test_it_is_asyncapi() -> None:
    """The document is valid by the schema that the AsyncAPI Initiative publishes, and a wrong one is not."""
    published = jsonschema_rs.Draft7Validator(json.loads(SCHEMA.read_bytes()))
    assert [str(error) for error in published.iter_errors(DOCUMENT)] == []
    dancing = {**DOCUMENT["operations"], "dance": {**DOCUMENT["operations"]["push"], "action": "dance"}}
    assert not published.is_valid({**DOCUMENT, "operations": dancing})


def test_every_reference_leads_somewhere() -> None:
    """No reference of the document is dead."""
    assert list(references(DOCUMENT)) != []
    assert dead_references(DOCUMENT) == []


def test_every_schema_says_what_it_is() -> None:
    """Every schema is valid and described; every message has a summary."""
    for name, schema in DOCUMENT["components"]["schemas"].items():
        jsonschema_rs.meta.validate(schema)
        assert schema["description"], name
        assert not schema["description"].startswith(f"{name}("), f"{name} has no docstring of its own"
    for name, message in DOCUMENT["components"]["messages"].items():
        assert message["summary"], name


def test_every_message_belongs_to_an_operation() -> None:
    """Operations and channel have all messages, and no others."""
    messages = {
        each["$ref"].rpartition("/")[2]
        for operation in DOCUMENT["operations"].values()
        for each in operation["messages"] + operation.get("reply", {}).get("messages", [])
    }
    assert messages == set(DOCUMENT["components"]["messages"]) == set(DOCUMENT["channels"]["socket"]["messages"])
    assert {kind.__name__ for kind in (*COMMANDS, *MESSAGES)} <= messages


def test_every_event_is_described() -> None:
    """Every event has a schema."""
    assert {kind.__name__ for kind in get_args(ViewEvent)} <= set(DOCUMENT["components"]["schemas"])


def test_the_commands_above_are_all() -> None:
    """Every command is in the table above."""
    assert {command["type"] for command in GOOD} == {str(kind.__struct_config__.tag) for kind in COMMANDS}


@pytest.mark.parametrize("command", GOOD, ids=lambda command: json.dumps(command, ensure_ascii=False))
def test_what_the_codec_accepts(command: dict[str, Any]) -> None:
    """A command that the codec accepts is valid in the document."""
    decode_command(json.dumps(command))
    assert COMMAND.is_valid(command), list(COMMAND.iter_errors(command))


@pytest.mark.parametrize("command", BAD, ids=lambda command: json.dumps(command)[:60])
def test_what_the_codec_rejects(command: dict[str, Any]) -> None:
    """A message that the codec rejects is not valid in the document."""
    with pytest.raises(MalformedCommandError):
        decode_command(json.dumps(command))
    assert not COMMAND.is_valid(command)


def test_a_room_message_holds_a_view() -> None:
    """A room message refers to the view."""
    properties = DOCUMENT["components"]["schemas"]["RoomMessage"]["properties"]
    assert properties["room"] == {"$ref": "#/components/schemas/View"}


def test_every_message_has_a_type_of_its_own() -> None:
    """No two commands, messages or events have the same type."""
    for kinds in (COMMANDS, MESSAGES, get_args(ViewEvent)):
        assert len({kind.__struct_config__.tag for kind in kinds}) == len(kinds)
        assert all(issubclass(kind, msgspec.Struct) for kind in kinds)


def test_the_close_codes() -> None:
    """The channel lists why the server closes a connection."""
    codes = DOCUMENT["channels"]["socket"]["x-close-codes"]
    assert codes == {str(code): meaning for code, meaning in CLOSE_CODES.items()}


def test_which_messages_answer_a_command() -> None:
    """Commands and their answers are correlated by id; what the server pushes is not."""
    correlated = {name for name, message in DOCUMENT["components"]["messages"].items() if "correlationId" in message}
    assert correlated == {kind.__name__ for kind in COMMANDS} | {"Ok", "Rejected", "Pong"}


def test_it_is_made_once() -> None:
    """The document is encoded once."""
    assert asyncapi.document() is asyncapi.document()
    assert "discriminator" not in str(DOCUMENT["components"])
