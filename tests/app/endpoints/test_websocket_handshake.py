"""Connecting to /ws: the origins that may, and the handshake."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import websockets

from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, guest
from tests.support.raw_websocket import UPGRADE, authority, handshake
from tests.support.responses import raw_response

CLUB = "https://club.example.org"


async def test_an_origin_is_absent_listed_or_our_own(tmp_path: Path) -> None:
    """Other origins are 403. The Host header is compared as text."""
    async with local_server(tmp_path, origins=(f"{CLUB}/", "http://localhost:3000")) as server:
        here = authority(server)
        for origin, host, status in (
            (None, here, 101),
            (f"http://{here}", here, 101),
            (f"https://{here}", here, 101),
            (CLUB, here, 101),
            ("http://localhost:3000", here, 101),
            ("https://games.example.org", "games.example.org", 101),
            ("https://games.example.org", "games.example.org:443", 403),
            ("https://games.example.org", "GAMES.example.org", 403),
            ("", here, 403),
            ("null", here, 403),
            (f"ftp://{here}", here, 403),
            (f"http://{here}.evil.example", here, 403),
            (CLUB.replace("https", "http"), here, 403),
            (f"{CLUB}:443", here, 403),
            ("http://localhost", here, 403),
            (f"http://{here}\r\nOrigin: https://evil.example", here, 403),
        ):
            async with handshake(server, origin, changed={"Host": host}) as client:
                assert client.status == status, (origin, host)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Upgrade": None, "Connection": None}, 426),
        ({"Upgrade": None}, 426),
        ({"Connection": "keep-alive"}, 426),
        ({"Upgrade": "h2c"}, 426),
        ({"Sec-WebSocket-Key": None}, 400),
        ({"Sec-WebSocket-Key": "short"}, 400),
    ],
    ids=str,
)
async def test_a_broken_handshake_is_rejected(server: LocalServer, headers: dict[str, str | None], status: int) -> None:
    async with handshake(server, changed=headers) as client:
        assert client.status == status


async def test_426_names_the_likely_cause(server: LocalServer) -> None:
    status, text = await Api(server.url).call("GET", "/ws")
    assert (status, "proxy" in text) == (426, True)


@pytest.mark.parametrize("version", ["", "8", "13, 8", "14"])
async def test_another_version_is_told_the_one_that_is_spoken(server: LocalServer, version: str) -> None:
    """RFC 6455, section 4.4."""
    upgrade = {**UPGRADE, "Sec-WebSocket-Version": version}
    status, headers, _ = await raw_response(server, "GET", "/ws", headers=upgrade)
    assert (status, headers["Sec-WebSocket-Version"], headers["Upgrade"]) == (426, "13", "websocket")


def request(version: str) -> bytes:
    """Return a handshake over a version of HTTP."""
    lines = [f"GET /ws {version}", "Host: here", *[f"{name}: {value}" for name, value in UPGRADE.items()]]
    return "\r\n".join([*lines, "", ""]).encode()


async def test_no_upgrade_over_http_1_0(server: LocalServer) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.write(request("HTTP/1.0"))
    assert b" 426 " in await reader.readline()
    writer.close()


async def test_a_client_that_leaves_during_the_handshake_is_forgotten(server: LocalServer) -> None:
    for _ in range(20):
        _, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(request("HTTP/1.1"))
        writer.transport.abort()
    await guest(server.url)  # a server that answers this has seen those


async def test_no_extension_is_agreed_on(server: LocalServer) -> None:
    """Compression would cost 90 KiB for each connection."""
    async with websockets.connect(server.ws_url, proxy=None, compression="deflate") as connection:
        assert connection.protocol.extensions == []
