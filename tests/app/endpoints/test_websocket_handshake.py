"""Connecting to /ws: the origins that may, and the handshake."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import websockets

from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, guest
from tests.support.raw_websocket import (
    UPGRADE,
    authority,
    handshake,
)
from tests.support.responses import raw_response

# --- origins ------------------------------------------------------------------------------------------------------


async def test_an_origin_may_be_absent_or_our_own(server: LocalServer) -> None:
    here = authority(server)
    for origin in (None, f"http://{here}", f"https://{here}"):
        async with handshake(server, origin) as client:
            assert client.status == 101, origin


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://",
        "://{here}",
        "{here}",
        "http://{here}/",
        "http://{here}.evil.example",
        "http://evil.example",
        "http://evil.example/{here}",
        "http://evil.example#{here}",
        "http://{host}",
        "http://{host}:1",
        "http://user@{here}",
        "HTTP://{here}",
        "ftp://{here}",
        "chrome-extension://{here}",
        "file://",
        "http://localhost:{port}",
        "http://{here} http://evil.example",
        "http://{here}\r\nOrigin: https://evil.example",
    ],
)
async def test_any_other_origin_is_403(server: LocalServer, origin: str) -> None:
    here = authority(server)
    host, port = here.split(":")
    async with handshake(server, origin.format(here=here, host=host, port=port)) as client:
        assert client.status == 403


async def test_an_origin_is_compared_with_the_host_header_as_text(server: LocalServer) -> None:
    for header, status in (
        ("games.example.org", 101),
        ("games.example.org:443", 403),
        ("GAMES.example.org", 403),
    ):
        async with handshake(server, "https://games.example.org", changed={"Host": header}) as client:
            assert client.status == status, header


async def test_origins_may_be_listed(tmp_path: Path) -> None:
    origins = ("https://club.example.org", "http://localhost:3000")
    async with local_server(tmp_path, origins=origins) as server:
        for origin, status in (
            ("https://club.example.org", 101),
            ("http://localhost:3000", 101),
            (f"http://{authority(server)}", 101),
            ("http://club.example.org", 403),
            ("https://club.example.org:443", 403),
            ("https://sub.club.example.org", 403),
            ("http://localhost", 403),
            ("null", 403),
        ):
            async with handshake(server, origin) as client:
                assert client.status == status, origin


# --- the handshake ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [{"Upgrade": None, "Connection": None}, {"Upgrade": None}, {"Connection": "keep-alive"}, {"Upgrade": "h2c"}],
    ids=str,
)
async def test_a_plain_get_is_426(server: LocalServer, headers: dict[str, str | None]) -> None:
    async with handshake(server, changed=headers) as client:
        assert client.status == 426


async def test_426_names_the_likely_cause(server: LocalServer) -> None:
    status, text = await Api(server.url).call("GET", "/ws")
    assert status == 426
    assert "proxy" in text
    assert "Upgrade" in text


@pytest.mark.parametrize("version", ["", "0", "8", "12", "13, 8", "14"])
async def test_another_version_is_told_the_one_that_is_spoken(server: LocalServer, version: str) -> None:
    """RFC 6455, section 4.4."""
    upgrade = {**UPGRADE, "Sec-WebSocket-Version": version}
    status, headers, _ = await raw_response(server, "GET", "/ws", headers=upgrade)
    assert (status, headers["Sec-WebSocket-Version"], headers["Upgrade"]) == (426, "13", "websocket")


async def test_no_upgrade_over_http_1_0(server: LocalServer) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    lines = [f"{name}: {value}" for name, value in {"Host": authority(server), **UPGRADE}.items()]
    writer.write("\r\n".join(["GET /ws HTTP/1.0", *lines, "", ""]).encode())
    assert b" 426 " in await reader.readline()
    writer.close()


@pytest.mark.parametrize(
    "headers", [{"Sec-WebSocket-Version": "6"}, {"Sec-WebSocket-Key": None}, {"Sec-WebSocket-Key": "short"}], ids=str
)
async def test_a_broken_handshake_is_400(server: LocalServer, headers: dict[str, str | None]) -> None:
    async with handshake(server, changed=headers) as client:
        assert client.status in (400, 426)


async def test_a_client_that_leaves_during_the_handshake_is_forgotten(server: LocalServer) -> None:
    for _ in range(20):
        _, writer = await asyncio.open_connection(server.host, server.port)
        lines = ["GET /ws HTTP/1.1", "Host: here", *[f"{name}: {value}" for name, value in UPGRADE.items()]]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        writer.transport.abort()
    await guest(server.url)  # a server that answers this has seen those


async def test_no_extension_is_agreed_on(server: LocalServer) -> None:
    """Compression would cost 90 KiB for each connection."""
    async with websockets.connect(server.ws_url, proxy=None, compression="deflate") as connection:
        assert connection.protocol.extensions == []
