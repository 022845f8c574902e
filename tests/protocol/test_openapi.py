"""The OpenAPI document: well-formed, whole, and about the types that the server speaks in."""

from __future__ import annotations

import json
import re
from typing import get_args

import jsonschema_rs
import pytest
import schemathesis

from noughts.errors import Code
from noughts.protocol import openapi
from noughts.protocol.endpoints import CALLS, REFUSALS
from noughts.rules.variant import VARIANTS
from tests.support.documents import references, validator

DOCUMENT = json.loads(bytes(openapi.document()))
ON_THE_SOCKET_ONLY = {
    "unknown_command",
    "not_seated",
    "not_playing",
    "game_over",
    "stale",
    "not_your_turn",
    "seat_taken",
}
"""Codes that no call answers with."""
ELSEWHERE = {"not_allowed", "conflict"}
"""Codes of no single call: another method than those of an address; a room id drawn twice."""


def test_it_is_openapi():
    schemathesis.openapi.from_dict(DOCUMENT).validate()
    assert DOCUMENT["openapi"] == "3.1.0"


def test_it_is_made_once():
    assert openapi.document() is openapi.document()


def test_every_reference_leads_somewhere():
    for reference in references(DOCUMENT):
        found = DOCUMENT
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]


def test_every_schema_is_one_and_says_what_it_is():
    for name, schema in DOCUMENT["components"]["schemas"].items():
        jsonschema_rs.meta.validate(schema)
        assert schema["description"], name
        assert not re.search("``|:[a-z]+:`", schema["description"]), name
        assert not schema["description"].startswith(f"{name}("), f"{name} has no docstring of its own"


def test_every_call_has_a_name_of_its_own_and_says_what_it_does():
    operations = [operation for path in DOCUMENT["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations) == len(CALLS)
    assert all(operation["summary"].endswith(".") for operation in operations)


def test_every_code_that_http_knows_is_in_it():
    codes = {code for _, codes in REFUSALS.values() for code in codes}
    assert codes | ON_THE_SOCKET_ONLY | ELSEWHERE == set(get_args(Code))


def test_what_needs_a_token_says_so():
    needed = {(call.method, call.path) for call in CALLS if call.token == "needed"}
    assert {call for call in needed if call[0] == "GET"} == {("GET", "/api/players/me")}
    changing = {(call.method, call.path) for call in CALLS if call.method != "GET"}
    assert changing - needed == {("POST", "/api/players"), ("POST", "/api/players/resume")}
    for method, path in needed:
        operation = DOCUMENT["paths"][path][method.lower()]
        assert operation["security"] == [{"token": []}]
        assert "401" in operation["responses"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_room_of_every_variant_can_be_asked_for(variant):
    new_room = validator(DOCUMENT, "NewRoom")
    assert new_room.is_valid({"variant": variant, "opponent": "friend"})
    assert new_room.is_valid({"variant": variant, "opponent": "engine", "mark": "random", "level": "novice"})
    assert not new_room.is_valid({"variant": variant, "opponent": "nobody"})


def test_what_is_out_of_range_is_out_of_the_document_too():
    quick = validator(DOCUMENT, "QuickPlay")
    assert quick.is_valid({"variant": "classic", "clock": {"mode": "move", "move_ms": 3_000}})
    assert not quick.is_valid({"variant": "classic", "clock": {"mode": "move", "move_ms": 2_999}})
    assert quick.is_valid({"variant": "classic", "clock": {"mode": "fischer", "initial_ms": 10_000, "increment_ms": 0}})
    assert not quick.is_valid({"variant": "classic", "clock": {"mode": "fischer", "initial_ms": 10_000}})
    assert not quick.is_valid({"variant": "chess"})
