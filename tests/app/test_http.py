"""HTTP at large: bodies, methods, pages, pictures, health."""

from __future__ import annotations

import gzip

import pytest

from tests.support.player import Api, guest
from tests.support.responses import raw_response, rejection


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"[]",
        b"null",
        b'"text"',
        b"7",
        b'{"name":',
        b'{"name":NaN}',
        b"\xff\xfe",
        b"{}x",
        b"[" * 9_000,
    ],
    ids=lambda body: repr(body[:12]),
)
async def test_a_body_that_is_no_object(server, body):
    status, headers, answer = await raw_response(
        server, "POST", "/api/players", body, {"Content-Type": "application/json"}
    )
    assert (status, b'"bad_message"' in answer) == (400, True)
    assert headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"])
async def test_a_body_of_another_kind_is_415(server, kind):
    status, _, answer = await raw_response(server, "POST", "/api/players", b'{"name":"Ann"}', {"Content-Type": kind})
    assert (status, b'"unsupported_media"' in answer) == (415, True)


async def test_a_charset_may_stand_with_the_kind(server):
    kind = {"Content-Type": "application/json; charset=utf-8"}
    assert (await raw_response(server, "POST", "/api/players", '{"name":"Änne"}'.encode(), kind))[0] == 201


async def test_a_body_that_is_too_large_is_413(server):
    kind = {"Content-Type": "application/json"}
    for size in (20_000, 900_000):
        body = b'{"name":"' + b"x" * size + b'"}'
        status, _, answer = await raw_response(server, "POST", "/api/players", body, kind)
        assert (status, b'"too_large"' in answer) == (413, True)
    packed = gzip.compress(b'{"name":"' + b"x" * 50_000_000 + b'"}')
    status, _, _ = await raw_response(server, "POST", "/api/players", packed, {**kind, "Content-Encoding": "gzip"})
    assert status in (400, 413)


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
async def test_another_method_is_405_and_told_which(server, method, path, allowed):
    status, headers, body = await raw_response(server, method, path)
    assert (status, b'"not_allowed"' in body) == (405, True)
    assert {name.strip() for name in headers["Allow"].split(",")} == allowed


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/nothing", "/static/nothing.js", "/static/../cli.py"]
)
async def test_an_address_with_nothing_behind_it(server, path):
    assert await rejection(Api(server.url), "GET", path) == (404, "not_found")


# --- the page -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/r/nowhere", "/static/js/main.js", "/static/style.css", "/favicon.ico"])
async def test_pages_come_with_strict_headers(server, path):
    _, headers, _ = await raw_response(server, "GET", path)
    policy = headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_files_are_sent_once_and_compressed(server):
    status, headers, body = await raw_response(server, "GET", "/static/style.css")
    assert (status, headers["Content-Type"]) == (200, "text/css; charset=utf-8")
    tag = headers["ETag"]
    status, _, nothing = await raw_response(server, "GET", "/static/style.css", headers={"If-None-Match": tag})
    assert (status, nothing) == (304, b"")
    status, _, again = await raw_response(server, "GET", "/static/style.css", headers={"If-None-Match": '"other"'})
    assert (status, again) == (200, body)
    status, headers, packed = await raw_response(
        server, "GET", "/static/style.css", headers={"Accept-Encoding": "gzip"}
    )
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed) == body
    assert len(packed) < len(body)


async def test_answers_are_not_for_caches(server):
    for path in ("/api/variants", "/api/rooms", "/api/rooms/nowhere"):
        _, headers, _ = await raw_response(server, "GET", path)
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Type"].startswith("application/json")


async def test_a_link_as_a_picture(server):
    ann = await guest(server.url)
    json = {"Content-Type": "application/json"}
    status, headers, body = await raw_response(
        server,
        "POST",
        "/api/qr",
        b'{"text":"https://x.example/r/a#i=b"}',
        {**json, "Authorization": f"Bearer {ann.token}"},
    )
    assert (status, headers["Content-Type"]) == (200, "image/svg+xml")
    assert b"<svg" in body
    assert await rejection(ann, "POST", "/api/qr", {"text": "x" * 600}) == (400, "bad_message")


# --- health -------------------------------------------------------------------------------------------------------

PROXIED = {"X-Forwarded-For": "127.0.0.1"}


async def test_health_in_full_for_this_machine(server):
    here = Api(server.url)
    assert (await here.get("/healthz"))["status"] == "ok"
    assert "connections" in await here.get("/healthz")
    assert await here.get("/readyz") == {"status": "ready"}
    status, metrics = await here.call("GET", "/metrics")
    assert status == 200
    assert "noughts_connections" in metrics
    assert "noughts_commands_total" in metrics


async def test_health_in_brief_for_others_whatever_they_claim(server):
    for forwarded in ("203.0.113.9", "127.0.0.1", "203.0.113.9, 127.0.0.1", "::1"):
        headers = {"X-Forwarded-For": forwarded}
        status, health = await Api(server.url).call("GET", "/healthz", headers=headers)
        assert (status, health) == (200, {"status": "ok"})
        assert (await Api(server.url).call("GET", "/readyz", headers=headers))[0] == 200
        assert await rejection(Api(server.url), "GET", "/metrics", headers=headers) == (403, "forbidden")


async def test_links_are_absolute_as_the_request_came(server):
    ann = await guest(server.url)
    body = {"variant": "classic", "opponent": "friend"}
    for headers, begins in (
        ({"Host": "games.example.org"}, "http://games.example.org/r/"),
        ({"Host": "games.example.org:8443"}, "http://games.example.org:8443/r/"),
        ({"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}, f"{server.url}/r/"),
    ):
        _, made = await ann.call("POST", "/api/rooms", body, headers)
        assert made["url"].startswith(begins)
        assert made["watch_url"].startswith(begins)
