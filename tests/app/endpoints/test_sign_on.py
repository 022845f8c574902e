"""Players for whom a proxy vouches with the name header, and visitors without it."""

from __future__ import annotations

import asyncio
import ipaddress
from pathlib import Path
from typing import Any, Final

import pytest
from websockets.exceptions import InvalidStatus

from tests.support.local_server import local_server
from tests.support.player import Api, connect, guest
from tests.support.raw_http import exchange
from tests.support.responses import rejection

LOOPBACK = (ipaddress.ip_network("127.0.0.1/32"),)
SIGN_ON: dict[str, Any] = {"trusted": LOOPBACK, "name_header": "Remote-User"}


def signed_on(name: str) -> dict[str, str]:
    return {"Remote-User": name}


async def test_an_identity_is_the_same_player_on_every_device(tmp_path: Path) -> None:
    async with local_server(tmp_path, **SIGN_ON) as server:
        anyone = Api(server.url)
        status, first = await anyone.call("POST", "/api/players", {"name": "Ann"}, signed_on("bea@example.org"))
        assert (status, first["player"]["name"]) == (201, "bea@example.org")
        status, second = await anyone.call("POST", "/api/players", {}, signed_on("bea@example.org"))
        assert (status, second["player"]) == (201, first["player"])
        assert second["token"] != first["token"]
        for token in (first["token"], second["token"]):
            assert (await Api(server.url, token).get("/api/players/me"))["player"] == first["player"]
        _, composed = await anyone.call("POST", "/api/players", {}, signed_on("b\u00e9a"))
        _, decomposed = await anyone.call("POST", "/api/players", {}, signed_on("be\u0301a"))
        assert composed["player"]["id"] == decomposed["player"]["id"]
        _, other = await anyone.call("POST", "/api/players", {}, signed_on("Bea@example.org"))
        assert other["player"]["id"] != first["player"]["id"]


async def test_two_first_calls_at_once_make_one_player(tmp_path: Path) -> None:
    async with local_server(tmp_path, **SIGN_ON) as server:
        calls = [Api(server.url).call("POST", "/api/players", {}, signed_on("bea")) for _ in range(8)]
        assert len({answer["player"]["id"] for _, answer in await asyncio.gather(*calls)}) == 1


async def test_the_name_is_the_beginning_of_the_identity(tmp_path: Path) -> None:
    """Identities with the same beginning are different players."""
    async with local_server(tmp_path, **SIGN_ON) as server:
        for length in (255, 256):
            _, answer = await Api(server.url).call("POST", "/api/players", {}, signed_on("x" * length))
            assert answer["player"]["name"] == "x" * 24
        _, other = await Api(server.url).call("POST", "/api/players", {}, signed_on("x" * 255))
        assert other["player"]["id"] != answer["player"]["id"]


async def test_a_player_of_the_sign_on_is_not_renamed(tmp_path: Path) -> None:
    async with local_server(tmp_path, **SIGN_ON) as server:
        _, answer = await Api(server.url).call("POST", "/api/players", {}, signed_on("bea"))
        bea = Api(server.url, answer["token"])
        assert await rejection(bea, "PATCH", "/api/players/me", {"name": "Ann"}) == (403, "forbidden")
        ann = await guest(server.url, "Ann")
        status, _ = await ann.call("PATCH", "/api/players/me", {"name": "Anna"})
        assert status == 200


async def test_a_deleted_identity_is_another_player(tmp_path: Path) -> None:
    async with local_server(tmp_path, **SIGN_ON) as server:
        _, first = await Api(server.url).call("POST", "/api/players", {}, signed_on("bea"))
        bea = Api(server.url, first["token"])
        status, _ = await bea.call("DELETE", "/api/players/me")
        assert status == 200
        assert await rejection(bea, "GET", "/api/players/me") == (401, "unauthorized")
        _, second = await Api(server.url).call("POST", "/api/players", {}, signed_on("bea"))
        assert second["player"]["id"] != first["player"]["id"]


MALFORMED: Final = [
    b"Remote-User: bea\r\nRemote-User: bea",
    b"Remote-User: bea\r\nremote-user: root",
    b"Remote-User:",
    b"Remote-User:   ",
    b"Remote-User: " + b"x" * 257,
    "Remote-User: {}".format("é" * 257).encode(),
    b"Remote-User: be\ta",
    b"Remote-User: be\x01a",
    b"Remote-User: be\x7fa",
    "Remote-User: be\u0085a".encode(),
    "Remote-User: be\u202ea".encode(),
    b"Remote-User: be\xffa",
    "Remote-User: \u200d".encode(),
    "Remote-User: \u3000".encode(),
]


async def test_a_malformed_identity_is_400(tmp_path: Path) -> None:
    head = b"POST /api/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
    async with local_server(tmp_path, **SIGN_ON) as server:
        for lines in MALFORMED:
            (answer,) = await exchange(server, head + lines + b"\r\nConnection: close\r\n\r\n{}")
            assert answer.status == 400, lines


async def test_an_identity_is_no_token(tmp_path: Path) -> None:
    async with local_server(tmp_path, **SIGN_ON) as server:
        await Api(server.url).call("POST", "/api/players", {}, signed_on("bea"))
        assert await rejection(Api(server.url, "bea"), "GET", "/api/players/me") == (401, "unauthorized")


async def test_the_token_of_another_identity_is_unknown(tmp_path: Path) -> None:
    """A browser of a shared computer has the token of the person before. A guest's token stays valid after a sign-on."""
    async with local_server(tmp_path, **SIGN_ON) as server:
        _, answer = await Api(server.url).call("POST", "/api/players", {}, signed_on("bea"))
        bea, ann = Api(server.url, answer["token"]), await guest(server.url, "Ann")
        calls = [(bea, signed_on("bea")), (bea, {}), (ann, signed_on("carl")), (bea, signed_on("carl"))]
        statuses = [(await api.call("GET", "/api/players/me", None, headers))[0] for api, headers in calls]
        assert statuses == [200, 200, 200, 401]
        hello = {"lobby": True, "token": bea.token}
        async with connect(server.ws_url, hello, additional_headers=signed_on("carl")) as client:
            assert await client.closed() == 4401


@pytest.mark.parametrize("settings", [{"name_header": "Remote-User"}, {"trusted": LOOPBACK}], ids=str)
async def test_the_header_of_an_untrusted_address_is_ignored(tmp_path: Path, settings: dict[str, Any]) -> None:
    async with local_server(tmp_path, **settings) as server:
        calls = [await Api(server.url).call("POST", "/api/players", {}, signed_on("bea")) for _ in range(2)]
        assert len({answer["player"]["id"] for _, answer in calls}) == 2
        assert "bea" not in {answer["player"]["name"] for _, answer in calls}


async def test_a_visitor_who_has_not_signed_on_may_only_watch(tmp_path: Path) -> None:
    async with local_server(tmp_path, guests="watch", **SIGN_ON) as server:
        assert await rejection(Api(server.url), "POST", "/api/players", {}) == (403, "forbidden")
        await Api(server.url).get("/api/rooms")
        status, _ = await Api(server.url).call("POST", "/api/players", {}, signed_on("bea"))
        assert status == 201


@pytest.mark.parametrize("settings", [SIGN_ON, {"name_header": "Remote-User"}, {}], ids=str)
async def test_without_guests_only_monitors_get_answers(tmp_path: Path, settings: dict[str, Any]) -> None:
    """A token alone does not help, nor does a header from an untrusted address."""
    async with local_server(tmp_path, guests="off", **settings) as server:
        trusted = settings is SIGN_ON
        headers = signed_on("bea")
        paths = ("/", "/api/variants", "/api/rooms", "/static/js/start.js", "/room/none", "/nothing")
        for path in paths:
            status, _ = await Api(server.url).call("GET", path)
            assert status == 403, path
            status, _ = await Api(server.url).call("GET", path, headers=headers)
            assert (status != 403) == trusted, path
        status, answer = await Api(server.url).call("POST", "/api/players", {}, headers)
        assert status == (201 if trusted else 403)
        if trusted:
            assert await rejection(Api(server.url, answer["token"]), "GET", "/api/players/me") == (403, "forbidden")
        with pytest.raises(InvalidStatus) as caught:
            async with connect(server.ws_url):
                pass
        assert caught.value.response.status_code == 403
        for path in ("/healthz", "/readyz", "/metrics"):
            status, _ = await Api(server.url).call("GET", path)
            assert status == 200
        status, _ = await Api(server.url).call("GET", "/metrics", headers={"Via": "1.1 proxy"})
        assert status == 403, "metrics are for a monitor on this machine, and not for visitors"
