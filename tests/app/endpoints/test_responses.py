"""Responses: JSON that no cache keeps, and rejections in the form of the contract."""

from __future__ import annotations

import json

import pytest
from aiohttp import web

from noughts.app.endpoints.responses import accepts_gzip, http_error_response, json_response, rejection_response
from noughts.errors import Rejection
from tests.support.local_server import LocalServer
from tests.support.responses import raw_response


def body_of(response: web.Response) -> object:
    assert isinstance(response.body, bytes)
    return json.loads(response.body)


def test_json_is_for_no_cache() -> None:
    response = json_response({"a": "ü"}, 201)
    assert (response.status, body_of(response)) == (201, {"a": "ü"})
    assert response.content_type == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("rejection", "seconds"),
    [
        (Rejection("rate_limited", "Wait.", retry_ms=1), "1"),
        (Rejection("rate_limited", "Wait.", retry_ms=1_001), "2"),
        (Rejection("too_many_rooms", "Wait.", retry_ms=60_000), "60"),
        (Rejection("unavailable", "Wait."), "1"),
        (Rejection("conflict", "Wait.", retry_ms=5_000), "5"),
        (Rejection("forbidden", "Never."), None),
    ],
)
def test_a_rejection_that_may_pass_says_when(rejection: Rejection, seconds: str | None) -> None:
    assert rejection_response(rejection).headers.get("Retry-After") == seconds


def test_401_names_the_scheme() -> None:
    assert rejection_response(Rejection("unauthorized", "No.")).headers["WWW-Authenticate"] == "Bearer"
    assert "WWW-Authenticate" not in rejection_response(Rejection("forbidden", "No.")).headers


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (web.HTTPBadRequest(), "bad_message"),
        (web.HTTPForbidden(), "forbidden"),
        (web.HTTPNotFound(), "not_found"),
        (web.HTTPRequestEntityTooLarge(1, 2), "too_large"),
        (web.HTTPUnsupportedMediaType(), "unsupported_media"),
        (web.HTTPExpectationFailed(), "bad_message"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_aiohttp_rejects_has_the_form_of_the_contract(error: web.HTTPException, code: str) -> None:
    response = http_error_response(error)
    body = body_of(response)
    assert isinstance(body, dict)
    assert (response.status, body["error"]["code"]) == (error.status, code)
    assert body["error"]["message"].endswith(".")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/players", {"POST"}),
        ("PUT", "/api/players/me", {"GET", "PATCH", "DELETE"}),
        ("DELETE", "/api/rooms", {"GET", "HEAD", "POST"}),
        ("POST", "/api/variants", {"GET", "HEAD"}),
        ("POST", "/ws", {"GET"}),
        ("POST", "/healthz", {"GET", "HEAD"}),
        ("POST", "/", {"GET", "HEAD"}),
    ],
)
async def test_405_lists_the_methods_of_the_address(
    server: LocalServer, method: str, path: str, allowed: set[str]
) -> None:
    status, headers, body = await raw_response(server, method, path)
    assert status == 405
    assert b'"not_allowed"' in body
    assert {name.strip() for name in headers["Allow"].split(",")} == allowed


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True), ("br, GZIP ; q=0.5", True), ("*", True), ("gzip;q=0.001", True),
        ("", False), ("br", False), ("gzip;q=0", False), ("gzip; q=0.000, *", False), ("x-gzipped", False),
    ],
)  # fmt: skip
def test_gzip_is_sent_where_it_is_accepted(header: str, accepted: bool) -> None:
    assert accepts_gzip(header) == accepted
