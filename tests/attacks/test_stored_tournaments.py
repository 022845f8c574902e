"""Tournaments that one address makes: they leave room for a host elsewhere, and few of them are kept."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from noughts.app.runtime.addresses import LOOPBACK
from noughts.app.tournaments import parts
from noughts.app.tournaments.finder import MAX_OF_HOST, MAX_OF_SERVER
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, enter, guest
from tests.support.tournament_client import Cup, Entrant, until_tournament

BODY: Final = {
    "name": "Cup",
    "mode": "arena",
    "variant": "classic",
    "clock": {"mode": "move", "move_ms": 60_000},
    "visibility": "public",
    "games": 1,
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
    monkeypatch.setattr(parts, "MAX_TOURNAMENTS_OF_ADDRESS", 2)
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


async def test_an_arena_that_is_played_in_haste_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its players resign at once, again and again: their network has few matches, and the oldest give way to new ones."""
    monkeypatch.setattr(parts, "MAX_MATCHES_OF_ADDRESS", 4)
    async with local_server(tmp_path, limits=True, trusted=LOOPBACK) as server:
        host = await guest(server.url)
        made = [(await make(host, ATTACKER))[1] for _ in range(2)]
        cup = Cup(server, host, made[0])
        hasty = await cup.entrants(4)
        await cup.ok("start")
        async with AsyncExitStack() as stack:
            for entrant in hasty:
                task = asyncio.create_task(resign_always(entrant))
                stack.callback(task.cancel)
            view = await cup.until_over()
        assert view["bell_ms"] < view["started_ms"] + 60_000
        assert 4 <= len(await cup.matches()) < 8
        assert (await make(host, ATTACKER))[0] == 201
        assert (await Api(server.url).call("GET", f"/api/tournaments/{cup.id}"))[0] == 404
        assert (await Api(server.url).call("GET", f"/api/tournaments/{made[1]['tournament']['id']}"))[0] == 200


async def resign_always(entrant: Entrant) -> None:
    rooms: set[str] = set()
    async with entrant.cup.socket(entrant.api) as socket:
        while True:
            message = await until_tournament(socket, lambda message: bool(message["you"]["match"]))
            room = message["you"]["match"]["room"]
            if room not in rooms:
                rooms.add(room)
                async with enter(entrant.server, room, entrant.api) as player:
                    await player.ask("resign")
            await socket.receive()
