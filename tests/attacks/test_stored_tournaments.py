"""Tournaments that one address makes: they leave room for a host elsewhere, and few of them are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from noughts.app.runtime.addresses import LOOPBACK
from noughts.app.tournaments import finder
from noughts.app.tournaments.finder import MAX_OF_HOST, MAX_OF_SERVER
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, guest
from tests.support.tournament_client import Cup

BODY: Final = {
    "name": "Cup",
    "mode": "arena",
    "variant": "classic",
    "clock": {"mode": "move", "move_ms": 60_000},
    "visibility": "public",
}
ATTACKER, HOST = "203.0.113.7", "198.51.100.9"


async def make(host: Api, address: str) -> tuple[int, Any]:
    return await host.call("POST", "/api/tournaments", BODY, {"X-Forwarded-For": address})


async def listed(server: LocalServer, state: str) -> list[str]:
    return [each["id"] for each in (await Api(server.url).get(f"/api/tournaments?state={state}"))["tournaments"]]


async def test_one_network_cannot_take_all_tournaments(tmp_path: Path) -> None:
    """A host elsewhere gets one: the emptiest of the network makes room. The network itself gets no more."""
    async with local_server(tmp_path, limits=True, trusted=LOOPBACK) as server:
        for n in range(MAX_OF_SERVER):
            if n % MAX_OF_HOST == 0:
                attacker = await guest(server.url)
            assert (await make(attacker, ATTACKER))[0] == 201
        status, answer = await make(await guest(server.url), ATTACKER)
        assert (status, answer["error"]["code"]) == (429, "too_many_tournaments")
        status, answer = await make(await guest(server.url), HOST)
        assert status == 201
        ids = await listed(server, "open")
    assert len(ids) == MAX_OF_SERVER
    assert answer["tournament"]["id"] in ids


async def test_few_tournaments_of_a_network_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A further one deletes the oldest that is over. Where none is over, there is no further one."""
    monkeypatch.setattr(finder, "MAX_TOURNAMENTS_OF_ADDRESS", 2)
    async with local_server(tmp_path, limits=True, trusted=LOOPBACK) as server:
        made = []
        for n in range(6):
            host = await guest(server.url)
            status, answer = await make(host, ATTACKER)
            assert status == 201
            made.append(answer["tournament"]["id"])
            if n < 4:
                await Cup(server, host, answer).ok("stop")
        status, answer = await make(await guest(server.url), ATTACKER)
        assert (status, answer["error"]["code"]) == (429, "too_many_tournaments")
        assert (await listed(server, "over"), await listed(server, "open")) == ([], made[:3:-1])
        assert (await make(await guest(server.url), HOST))[0] == 201
