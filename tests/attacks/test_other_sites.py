"""What a page of another site can make a browser send, and headers that only a proxy may send.

Every endpoint of the table takes part, so a new one is tested at once.
"""

from __future__ import annotations

import itertools
import json
from typing import Final

from noughts.app.runtime.admin_secret import read_secrets
from noughts.app.runtime.limits import RESUME
from noughts.protocol.endpoints import ENDPOINTS
from tests.attacks.addresses import new_address
from tests.attacks.resume_tries import statuses_of
from tests.conftest import StartServer
from tests.support.player import Api, guest
from tests.support.raw_http import END, exchange, request
from tests.support.raw_websocket import authority, handshake
from tests.support.server import RunningServer

EVIL: Final = "https://evil.example"
CHANGES: Final = [endpoint for endpoint in ENDPOINTS if endpoint.method != "GET"]
POSTS: Final = [endpoint for endpoint in ENDPOINTS if endpoint.method == "POST"]
SIMPLE_TYPES: Final = (
    None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "json", "",
    "text/plain; application/json", "application/jsonp", "*/*",
)  # fmt: skip
"""Content types that a page may send without asking first, and some that only resemble JSON's."""
TYPES: Final = [kind for kind in SIMPLE_TYPES if kind]


def path_of(path: str) -> str:
    return path.format(id="AAAAAAAAAAAAAAAAAAAAAA", number=1, page="how-to/host", variant="classic", moves="b2")


async def test_a_post_needs_the_content_type_of_json(default_server: RunningServer) -> None:
    """A page of another site cannot send it without a preflight, which the server does not allow."""
    posts = list(itertools.product(POSTS, SIMPLE_TYPES, (b"", b"{}")))
    for endpoint, kind, body in posts:
        types = [] if kind is None else [f"Content-Type: {kind}"]
        data = request(f"POST {path_of(endpoint.path)}", f"Origin: {EVIL}", *types, body=body)
        answer = (await exchange(default_server, data + END, new_address()))[0]
        assert answer.status == 415, (endpoint.name, kind, answer)
    print(f"{len(posts)} posts to {len(POSTS)} endpoints with other content types: all 415")


async def test_another_site_reads_no_answer(default_server: RunningServer) -> None:
    token, count = (await guest(default_server.url)).token, 0
    asks = ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, content-type")
    origins = (EVIL, "null", "http://localhost", f"http://{authority(default_server)}.evil.example")
    for endpoint, origin in itertools.product(ENDPOINTS, origins):
        line = f"{endpoint.method} {path_of(endpoint.path)}"
        preflight = request(f"OPTIONS {path_of(endpoint.path)}", f"Origin: {origin}", *asks)
        plain = request(line, f"Origin: {origin}", f"Authorization: Bearer {token}", "Content-Type: application/json")
        for answer in await exchange(default_server, preflight + plain + END, new_address()):
            assert "access-control" not in answer.head.lower(), line
            assert "set-cookie" not in answer.head.lower(), line
            assert answer.header("X-Content-Type-Options") == "nosniff", line
            assert answer.header("Content-Security-Policy"), line
            assert answer.header("Cross-Origin-Resource-Policy") == "same-origin", line
            count += 1
    print(f"{count} answers of {len(ENDPOINTS)} endpoints to {len(origins)} other sites: none lets the site read it")


async def test_another_site_does_nothing_for_the_operator(start_server: StartServer) -> None:
    """Its requests carry no session. Not even a listed site may send one, read an answer, or show the page in a frame."""
    server = start_server(limits="on", origins=EVIL, embed_origins=EVIL)
    url, secret = read_secrets(server.data)[0]
    code = (await Api(url, secret).post("/admin/codes"))["code"]
    asks = ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, content-type")
    body = json.dumps({"code": code}).encode()
    for path in ("session", "bans", "rooms/x/close", "players/p_x/forget"):
        preflight = request(f"OPTIONS /admin/{path}", f"Origin: {EVIL}", *asks)
        posts = [
            request(f"POST /admin/{path}", f"Origin: {EVIL}", f"Content-Type: {kind}", body=body) for kind in TYPES
        ]
        answers = (await exchange(server, b"".join([preflight, *posts, END]), new_address()))[:-1]
        assert [answer.status for answer in answers] == (1 + len(TYPES)) * [404], path
        assert "access-control" not in str(answers).lower()
    session = (await Api(url).post("/admin/session", {"code": code}))["session"]
    cookie = request("GET /admin/rooms", f"Cookie: session={session}", f"Cookie: noughts.admin={session}")
    page = (await exchange(server, cookie + request("GET /") + END, new_address()))[:2]
    assert [answer.status for answer in page] == [404, 200]
    assert "frame-ancestors 'none'" in str(page[1].header("Content-Security-Policy"))
    print("4 admin endpoints with and without a preflight from a listed site: all 404, and the code still worked")


async def test_a_cookie_is_no_identity(default_server: RunningServer) -> None:
    token = (await guest(default_server.url)).token
    cookies = (
        f"Cookie: token={token}",
        f"Cookie: Authorization=Bearer {token}",
        f"Proxy-Authorization: Bearer {token}",
    )
    for header in cookies:
        answer = (await exchange(default_server, request("GET /api/players/me", header) + END, new_address()))[0]
        assert answer.status == 401, header
    print(f"{len(cookies)} headers with a token that is no Authorization: all 401")


ORIGINS: Final = (
    EVIL, "", "null", "NULL", "file://", "https://", "http://", "http:", "ws://AUTHORITY", "AUTHORITY", "//AUTHORITY",
    "http://AUTHORITY.evil.example", "http://evil.example/AUTHORITY", "http://AUTHORITY@evil.example", "http://x@AUTHORITY",
    "http://AUTHORITY/", "http://AUTHORITY/x", "http://AUTHORITY:80", "http://127.0.0.1", "http://127.0.0.1:1",
    "http://localhost:PORT", "http://AUTHORITY http://evil.example", "http://evil.example http://AUTHORITY", "javascript:0",
    "http://AUTHORITY,http://evil.example", "http://0x7f000001:PORT", "http://[::1]:PORT", "chrome-extension://AUTHORITY",
)  # fmt: skip


async def test_a_socket_of_another_origin_is_rejected(default_server: RunningServer) -> None:
    for origin in ORIGINS:
        text = origin.replace("AUTHORITY", authority(default_server)).replace("PORT", str(default_server.port))
        async with handshake(default_server, text, address=new_address()) as client:
            assert client.status == 403, origin
    print(f"{len(ORIGINS)} other origins: all 403")


async def test_links_do_not_follow_forwarded_headers(default_server: RunningServer) -> None:
    """An untrusted client must not choose the links that others follow."""
    token = (await guest(default_server.url)).token
    headers = (
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        "X-Forwarded-Host: evil.example",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Prefix: /evil",
        "Forwarded: host=evil.example;proto=https",
        "X-Host: evil.example",
    )
    body = b'{"variant":"classic","opponent":"friend"}'
    answer = (await exchange(default_server, request("POST /api/rooms", *headers, body=body) + END, new_address()))[0]
    assert answer.status == 201
    assert b"evil" not in answer.body
    assert json.loads(answer.body)["url"].startswith("http://127.0.0.1/")
    print(f"{len(headers) - 2} headers that name another host: 0 in the links")


async def test_a_forwarded_address_changes_no_limit(default_server: RunningServer) -> None:
    """The tries of resume codes count by the address of the connection."""
    headers = ("X-Forwarded-For: 198.51.100.{n}", "Forwarded: for=198.51.100.{n}", "X-Real-IP: 198.51.100.{n}")
    tries = int(RESUME.rate.burst)
    statuses = await statuses_of(default_server, (tries + 2) * ["AAAAA-AAAAA"], *headers)
    assert statuses == tries * [401] + [429, 429]
    print(f"{tries} tries of resume codes from {len(statuses)} forwarded addresses")


def test_every_change_needs_more_than_a_simple_request() -> None:
    assert {endpoint.method for endpoint in CHANGES} == {"POST", "PATCH", "DELETE"}
