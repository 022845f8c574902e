"""What a request says: address, trust, base of links, token and body."""

from __future__ import annotations

import asyncio
import gzip
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from aiohttp import HttpVersion10, streams, web
from aiohttp.test_utils import make_mocked_request

from noughts.app.endpoints.requests import (
    ADDRESS,
    MAX_HOPS,
    base_url,
    body_of,
    client_address,
    is_trusted,
    token_of,
)
from noughts.app.runtime.addresses import plain
from noughts.app.runtime.config import Config, load
from noughts.errors import Rejection
from noughts.protocol.bodies import NewPlayer
from tests.support.local_server import LocalServer
from tests.support.player import WAIT_S
from tests.support.responses import raw_response

BEHIND_PROXY = Config(trusted=load({"trusted": "10.0.0.0/8, ::1"}, {})[0].trusted)
JSON = {"Content-Type": "application/json"}


def request_from(remote: str, headers: dict[str, str] | None = None) -> web.Request:
    """Return a request from a peer."""
    request = make_mocked_request("GET", "/", {"Host": "games.example.org", **(headers or {})}).clone(remote=remote)
    assert isinstance(request, web.Request)
    request[ADDRESS] = remote
    return request


# --- addresses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.9", None, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", " , 198.51.100.1 , ", "198.51.100.1"),
        ("10.0.0.1", "2001:DB8:0:0::9", "2001:db8::9"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "unix:", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "unknown, 198.51.100.1", "198.51.100.1"),
        ("::1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:5678", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8::9]:5678, 10.0.0.2:80", "2001:db8::9"),
        ("10.0.0.1", "[2001:db8::9]", "2001:db8::9"),
        ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::ffff:203.0.113.9", "198.51.100.1", "203.0.113.9"),
    ],
)
def test_the_address_is_what_the_outermost_trusted_proxy_saw(remote: str, forwarded: str | None, address: str) -> None:
    request = request_from(remote, {} if forwarded is None else {"X-Forwarded-For": forwarded})
    assert client_address(request, BEHIND_PROXY) == address


@pytest.mark.parametrize(
    ("forwarded", "read"),
    [
        (", ".join(f"198.51.100.{n % 250}" for n in range(1_000)), 1),
        (1_000 * "10.0.0.2,", MAX_HOPS),
        (1_000 * ",", MAX_HOPS),
    ],
)
def test_few_hops_are_parsed(monkeypatch: pytest.MonkeyPatch, forwarded: str, read: int) -> None:
    """A client behind a proxy chooses how long the header is."""
    parsed: list[str] = []

    def counted(text: str) -> str:
        parsed.append(text)
        return plain(text)

    monkeypatch.setattr("noughts.app.endpoints.requests.plain", counted)
    client_address(request_from("10.0.0.1", {"X-Forwarded-For": forwarded}), BEHIND_PROXY)
    assert len(parsed) == 1 + read  # the peer, and hops


def test_details_need_a_host_header() -> None:
    request = make_mocked_request("GET", "/", {}, version=HttpVersion10).clone(remote="127.0.0.1")
    assert isinstance(request, web.Request)
    request[ADDRESS] = "127.0.0.1"
    assert not is_trusted(request, Config())


def test_details_are_not_for_what_a_proxy_or_a_page_sends() -> None:
    assert is_trusted(request_from("127.0.0.1", {"Host": "127.0.0.1:8000"}), Config())
    assert not is_trusted(request_from("127.0.0.1", {"Host": "games.example.org"}), Config())
    for name in ("Via", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"):
        assert not is_trusted(request_from("127.0.0.1", {"Host": "localhost", name: "1.1 here"}), Config())


@pytest.mark.parametrize(
    ("remote", "forwarded", "address", "trusted"),
    [
        ("127.0.0.1", None, "127.0.0.1", True),
        ("10.0.0.1", None, "10.0.0.1", True),
        ("203.0.113.9", None, "203.0.113.9", False),
        ("127.0.0.1", "127.0.0.1", "127.0.0.1", False),  # through a proxy that is not trusted
        ("10.0.0.1", "203.0.113.9", "203.0.113.9", False),
        ("10.0.0.1", "10.0.0.2", "10.0.0.2", True),
        ("10.0.0.1", "unknown", "10.0.0.1", False),  # a proxy that does not know who asks
        ("10.0.0.1", "unknown, 10.0.0.2", "10.0.0.2", False),
        ("unix", None, "unix", False),
    ],
)
def test_details_are_for_this_machine_and_trusted_addresses(
    remote: str, forwarded: str | None, address: str, trusted: bool
) -> None:
    request = request_from(
        remote, {"Host": "localhost"} | ({} if forwarded is None else {"X-Forwarded-For": forwarded})
    )
    request[ADDRESS] = address
    assert is_trusted(request, BEHIND_PROXY) is trusted
    assert is_trusted(request, Config(open_metrics=True))


# --- links --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remote", "scheme", "base"),
    [
        ("203.0.113.9", None, "http://games.example.org"),
        ("203.0.113.9", "https", "http://games.example.org"),
        ("10.0.0.1", "https", "https://games.example.org"),
        ("10.0.0.1", "http", "http://games.example.org"),
        ("10.0.0.1", "javascript", "http://games.example.org"),
    ],
)
def test_a_link_begins_as_the_page_was_opened(remote: str, scheme: str | None, base: str) -> None:
    request = request_from(remote, {} if scheme is None else {"X-Forwarded-Proto": scheme})
    assert base_url(request, BEHIND_PROXY) == base


def test_a_link_begins_with_the_public_url_if_there_is_one() -> None:
    config = Config(public_url="https://club.example.org/noughts/")
    assert base_url(request_from("203.0.113.9"), config) == "https://club.example.org/noughts"


# --- tokens and bodies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("Bearer", ""),
        ("", None),
        ("abc", None),
        ("Basic YTpi", None),
    ],
)
def test_the_token_is_in_the_authorization_header(header: str, token: str | None) -> None:
    assert token_of(request_from("203.0.113.9", {"Authorization": header})) == token


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"name":NaN}',
        b"\xff\xfe",
        b"{}x",
        b"[" * 9_000,
    ],
    ids=lambda body: repr(body[:12]),
)
async def test_a_body_that_is_no_object_is_400(server: LocalServer, body: bytes) -> None:
    status, headers, answer = await raw_response(server, "POST", "/api/players", body, JSON)
    assert status == 400
    assert b'"bad_message"' in answer
    assert headers["Content-Type"].startswith("application/json")


async def test_a_small_body_that_unpacks_to_a_large_one_is_rejected(server: LocalServer) -> None:
    packed = gzip.compress(b'{"name":"' + b"x" * 50_000_000 + b'"}')
    headers = {**JSON, "Content-Encoding": "gzip"}
    assert (await raw_response(server, "POST", "/api/players", packed, headers))[0] == 415


async def test_a_body_that_stops_is_400_and_the_end(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a body up to its deadline only, and close the connection."""
    monkeypatch.setattr("noughts.app.endpoints.requests.BODY_S", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(server.url).port)
    head = "POST /api/players HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    writer.write(head.encode() + b'{"name":')
    async with asyncio.timeout(WAIT_S):
        answer = await reader.read()
    writer.close()
    assert answer == b"" or b"did not arrive" in answer


async def test_no_body_is_an_empty_object(server: LocalServer) -> None:
    """The content type is needed all the same: a page of another origin cannot send it."""
    for headers in (JSON, {"Content-Type": "application/json; charset=utf-8"}):
        assert (await raw_response(server, "POST", "/api/players", headers=headers))[0] == 201
    assert (await raw_response(server, "POST", "/api/players"))[0] == 415


async def test_a_host_has_no_port_above_the_highest(server: LocalServer) -> None:
    for port, status in ((65_535, 200), (65_536, 400), (99_999, 400)):
        headers = {"Host": f"games.example.org:{port}"}
        assert (await raw_response(server, "GET", "/api/variants", headers=headers))[0] == status


@pytest.mark.parametrize("host", ["localhost", "games.example.org:8000", "[::1]:8000", "a_b.local", "127.0.0.1"])
async def test_a_well_formed_host_is_taken(server: LocalServer, host: str) -> None:
    assert (await raw_response(server, "GET", "/api/variants", headers={"Host": host}))[0] == 200


async def test_the_kind_of_a_body_is_checked_as_it_is_read() -> None:
    """Also of a request that no middleware has seen."""
    payload = streams.StreamReader(Mock(), 2**16, loop=asyncio.get_running_loop())
    payload.feed_data(b"{}")
    payload.feed_eof()
    request = make_mocked_request("POST", "/", {"Content-Type": "text/plain"}, payload=payload)
    with pytest.raises(Rejection, match="unsupported_media"):
        await body_of(request, NewPlayer)
