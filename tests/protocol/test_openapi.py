"""The OpenAPI document: well-formed, complete, and about the types of the wire."""

from __future__ import annotations

import json
from typing import Any, Final

import schemathesis
from openapi_spec_validator import OpenAPIV31SpecValidator

from noughts.errors import CODES
from noughts.protocol import openapi
from noughts.protocol.endpoint import REJECTIONS
from noughts.protocol.endpoints import ENDPOINTS
from tests.support.documents import dead_references, references

DOCUMENT: Final[dict[str, Any]] = json.loads(bytes(openapi.document()))
OF_NO_ENDPOINT: Final = {"not_allowed", "conflict"}
"""Codes of no single endpoint: for a method that an address lacks, and for a room id that exists already."""


def test_it_is_openapi() -> None:
    """The document is valid OpenAPI 3.1, by two validators."""
    schemathesis.openapi.from_dict(DOCUMENT).validate()
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    assert DOCUMENT["openapi"] == "3.1.0"


def test_every_reference_leads_somewhere() -> None:
    """No reference of the document is dead."""
    assert list(references(DOCUMENT)) != []
    assert dead_references(DOCUMENT) == []


def test_every_code_over_http() -> None:
    """Every code that HTTP knows comes with a status."""
    codes = {code for _, codes in REJECTIONS.values() for code in codes}
    assert codes | OF_NO_ENDPOINT == {code for code, info in CODES.items() if info.over != "socket"}


def test_endpoints_that_need_a_token() -> None:
    """Endpoints that need a token say so, and may reject with 401."""
    needed = {(each.method, each.path) for each in ENDPOINTS if each.token == "needed"}
    paths = {path for method, path in needed if method == "GET"}
    assert paths == {f"/api/players/me{part}" for part in ("", "/export", "/rooms", "/tokens")}
    changing = {(each.method, each.path) for each in ENDPOINTS if each.method != "GET"}
    assert changing - needed == {
        ("POST", "/api/players"),
        ("POST", "/api/players/resume"),
        ("POST", "/api/puzzles/{id}/tries"),
        ("POST", "/api/tournaments/find"),
    }
    for method, path in needed:
        operation = DOCUMENT["paths"][path][method.lower()]
        assert operation["security"] == [{"token": []}]
        assert "401" in operation["responses"]


def operation(name: str) -> dict[str, Any]:
    """Return the operation of an endpoint by its name."""
    operations = [each for path in DOCUMENT["paths"].values() for each in path.values()]
    (match,) = [each for each in operations if each["operationId"] == name]
    return dict(match)


def test_the_parts_of_an_operation() -> None:
    """Parameters of path and query, a body that may be left out, and answers of several types are described."""
    game = operation("game")["parameters"]
    assert [(each["name"], each["in"], each["required"]) for each in game] == [
        ("id", "path", True),
        ("number", "path", True),
    ]
    assert [(each["name"], each["in"]) for each in operation("rooms")["parameters"]] == [
        ("state", "query"),
        ("variant", "query"),
    ]
    assert operation("newPlayer")["requestBody"]["required"] is False
    assert operation("newRoom")["requestBody"]["required"] is True
    assert "requestBody" not in operation("me")
    assert operation("rooms")["responses"]["200"]["content"]["application/json"]["schema"] == {
        "anyOf": [{"$ref": "#/components/schemas/OpenRooms"}, {"$ref": "#/components/schemas/LiveRooms"}]
    }
    assert "content" not in operation("connect")["responses"]["101"]


def test_the_headers_of_rejections() -> None:
    """A rejection says when to try again, or how to authenticate."""
    headers = {name: set(each.get("headers", {})) for name, each in DOCUMENT["components"]["responses"].items()}
    assert {name: each for name, each in headers.items() if each} == {
        "Rejected401": {"WWW-Authenticate"},
        "Rejected429": {"Retry-After"},
        "Rejected503": {"Retry-After"},
    }
