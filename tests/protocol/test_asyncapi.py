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
from noughts.protocol.asyncapi import COMMANDS, MESSAGES, ROOM_COMMANDS, TOURNAMENT_COMMANDS
from noughts.protocol.close_codes import CLOSE_CODES
from noughts.room.events import ViewEvent
from tests.protocol.test_codec import COMMANDS as ACCEPTED
from tests.protocol.test_codec_malformed import MALFORMED
from tests.support.documents import dead_references, references, validator
from tests.support.player import Message, connect, enter, friends_room, guest
from tests.support.server import RunningServer

DOCUMENT = json.loads(bytes(asyncapi.document(8_192)))
SCHEMA: Final = Path(__file__).parents[2] / "node_modules" / "@asyncapi" / "specs" / "schemas" / "3.0.0.json"
COMMAND = validator(DOCUMENT, *(kind.__name__ for kind in COMMANDS))


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


def test_every_message_belongs_to_an_operation() -> None:
    """Operations and channel have all messages, and no others."""
    messages = {
        each["$ref"].rpartition("/")[2]
        for operation in DOCUMENT["operations"].values()
        for each in operation["messages"] + operation.get("reply", {}).get("messages", [])
    }
    assert messages == set(DOCUMENT["components"]["messages"]) == set(DOCUMENT["channels"]["socket"]["messages"])
    assert {kind.__name__ for kind in (*COMMANDS, *MESSAGES)} <= messages


@pytest.mark.parametrize("text", [text for text, _ in ACCEPTED])
def test_what_the_codec_accepts(text: str) -> None:
    """A command that the codec accepts is valid in the document, and so is one with another field."""
    command = json.loads(text)
    assert COMMAND.is_valid(command), list(COMMAND.iter_errors(command))
    assert COMMAND.is_valid({**command, "further": "fields are ignored"})


@pytest.mark.parametrize("fields", MALFORMED, ids=lambda fields: json.dumps(fields)[:60])
def test_what_the_codec_rejects(fields: dict[str, Any]) -> None:
    """It is not valid in the document. JSON Schema alone takes a number without a fraction for an integer."""
    assert not COMMAND.is_valid({**fields, "id": ""})
    assert COMMAND.is_valid({**fields, "id": "1"}) == (type(fields.get("ply")) is float and fields["ply"] == 1)


def test_every_message_has_a_type_of_its_own() -> None:
    """No two commands, messages or events have the same type."""
    for kinds in (ROOM_COMMANDS, TOURNAMENT_COMMANDS, MESSAGES, get_args(ViewEvent)):
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


STORY: Final[tuple[tuple[str, str, Message, str], ...]] = (
    ("Ben", "move", {"ply": 0, "cell": "b2"}, "not_seated"),
    ("Ben", "sit", {"mark": "O", "invite": "INVITE"}, "ok"),
    ("Ann", "move", {"game": 1, "ply": 0, "cell": "b2"}, "ok"),
    ("Ben", "swap", {"game": 1, "ply": 1}, "forbidden"),
    ("Ann", "give_time", {}, "forbidden"),
    ("Ben", "move", {"game": 1, "ply": 0, "cell": "a1"}, "stale"),
    ("Ben", "move", {"game": 1, "ply": 1, "cell": "a1"}, "ok"),
    ("Ben", "offer", {"what": "takeback"}, "ok"),
    ("Ann", "answer", {"what": "takeback", "accept": True}, "ok"),
    ("Ann", "claim", {"what": "win"}, "forbidden"),
    ("Ann", "chat", {"text": "Well played!"}, "ok"),
    ("Ann", "react", {"emoji": "👍"}, "ok"),
    ("Ben", "resign", {}, "ok"),
    ("Ann", "set", {"variant": "misere", "clock": {"mode": "move", "move_ms": 60_000}}, "ok"),
    ("Ben", "stand", {}, "ok"),
    ("Ann", "seat_engine", {"mark": "O", "level": "novice"}, "ok"),
    ("Ann", "free", {"mark": "O"}, "forbidden"),
    ("Ann", "mute", {"player": "spectators", "muted": True}, "ok"),
    ("Ann", "visible", {"visible": False}, "ok"),
    ("Ann", "ping", {}, "pong"),
    ("Ann", "close", {}, "ok"),
)
"""Commands in a friend's room, each with its sender, its fields, and the type or the code of the answer."""


async def test_all_that_a_server_sends_fits_the_document(server: RunningServer) -> None:
    """Every type of command to a room is valid and answered, and every type of message about rooms comes."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    room = await friends_room(server, ann)
    commands = {str(kind.__struct_config__.tag): validator(DOCUMENT, kind.__name__) for kind in ROOM_COMMANDS}
    messages = {str(kind.__struct_config__.tag): validator(DOCUMENT, kind.__name__) for kind in MESSAGES}
    async with (
        enter(server, room["room"]["id"], ann) as x,
        enter(server, room["room"]["id"], ben) as o,
        connect(server.ws_url, {"lobby": True}) as lobby,
    ):
        await lobby.until(lambda message: message["type"] == "lobby")
        for name, kind, story_fields, expected in STORY:
            fields = story_fields | ({"invite": room["invite"]} if "invite" in story_fields else {})
            assert commands[kind].is_valid({"type": kind, "id": "1", **fields})
            answer = await (x if name == "Ann" else o).ask(kind, **fields)
            assert answer.get("code", answer["type"]) == expected, kind
    received = [*x.seen, *o.seen, *lobby.seen]
    assert [message for message in received if not messages[message["type"]].is_valid(message)] == []
    assert {message["type"] for message in received} == set(messages) - {"tournament", "boards"}
    assert {kind for _, kind, _, _ in STORY} == set(commands)
