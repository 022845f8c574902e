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
from noughts.room.events import ViewEvent
from tests.protocol.test_codec import COMMANDS as ACCEPTED
from tests.protocol.test_codec_malformed import MALFORMED
from tests.support.documents import dead_references, references, validator

DOCUMENT = json.loads(bytes(asyncapi.document()))
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
