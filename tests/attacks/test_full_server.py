"""Many addresses fill the server with rooms. A newcomer still gets one."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import aiohttp
import pytest

from noughts.app.rooms import parts
from noughts.app.runtime import limits
from noughts.app.runtime.addresses import LOOPBACK
from tests.attacks.bursts import ADDRESSES, ROOM, Attacker, filling
from tests.attacks.control_pair import control_pair
from tests.support.local_server import LocalServer, local_server
from tests.support.server import RunningServer
from tests.support.waiting import until

MAX_ROOMS = 256
ROOMS_OF_ADDRESS = 8
NEWCOMER_MS = 1_000
FULL_S = 300.0
"""How long filling the server may take on a busy machine."""
NEWCOMERS = 20
"""Newcomers at least that come while the server is full."""
ROOMS_ASKED = 700
"""Rooms that each address asks for, in the end one after the other in vain."""


async def new_rooms(server: LocalServer, address: str, count: int) -> list[int]:
    """Make a guest, and rooms, as a proxy passes on the requests of this address. Return the statuses."""
    headers = {"X-Forwarded-For": address}
    async with aiohttp.ClientSession(server.url) as session:
        async with session.post("/api/players", json={}, headers=headers) as answer:
            headers["Authorization"] = f"Bearer {(await answer.json())['token']}"
        statuses = []
        for _ in range(count):
            async with session.post("/api/rooms", json=ROOM, headers=headers) as answer:
                statuses.append(answer.status)
        return statuses


async def test_a_newcomer_gets_a_room_on_a_full_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """64 addresses ask for twice as many rooms as there are, and go on while newcomers come."""
    monkeypatch.setattr(parts.Rooms.__init__, "__defaults__", (parts.MOST_ROOMS._replace(of_server=MAX_ROOMS),))
    attackers = [f"2001:db8:0:{n:x}::1" for n in range(ADDRESSES)]
    times_ms = []
    async with local_server(tmp_path, limits=True, trusted=LOOPBACK) as server:
        await asyncio.gather(*[new_rooms(server, address, ROOMS_OF_ADDRESS) for address in attackers])
        async with asyncio.TaskGroup() as group:
            for address in attackers:
                group.create_task(new_rooms(server, address, 2))
            for n in range(8):
                began_s = time.monotonic()
                assert await new_rooms(server, f"198.51.100.{n}", 1) == [201]
                times_ms.append((time.monotonic() - began_s) * 1000)
    print(f"a newcomer gets a room in {max(times_ms):.0f} ms at most")
    assert max(times_ms) <= NEWCOMER_MS


async def newcomers_room_ms(server: RunningServer, number: int) -> float:
    """Let a newcomer at a new address make a guest and a room, and enter it. Return how long that took."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(f"127.9.{number}.1", 0))) as session:
        newcomer = Attacker(server.url, f"127.9.{number}.1", session)
        began_s = time.monotonic()
        token = await newcomer.guest()
        async with newcomer.enter(await newcomer.room(token), token) as socket:
            await socket.until_room(lambda view: view["phase"] == "waiting")
        return (time.monotonic() - began_s) * 1000


@pytest.mark.long
async def test_a_newcomer_gets_a_room_beside_twenty_thousand(tmp_path: Path) -> None:
    """With the default settings, in a process of its own, while the addresses go on. A pair's room stays."""
    server = RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "1"}).start()
    times_ms: list[float] = []
    try:
        async with control_pair(server) as pair:
            before, before_ms = await pair.figures(50), await newcomers_room_ms(server, 0)
            async with filling(server.url, ROOMS_ASKED) as attack:
                await until(lambda: "the server is full" in server.log, FULL_S)
                full = await pair.figures(50)
                while len(times_ms) < NEWCOMERS:
                    times_ms.append(await newcomers_room_ms(server, len(times_ms) + 1))
                during = await pair.figures_until(attack)
                answers = await attack
    finally:
        server.kill()
    print(
        f"{limits.MAX_ROOMS} rooms, answers to {ADDRESSES} addresses {answers}: a newcomer has a room after"
        f" {max(times_ms):.0f} ms at most, {before_ms:.0f} before. Pair before {before}; full {full}; then {during}"
    )
    assert "Traceback" not in server.log, server.log
    assert full.failed == during.failed == 0
    assert max(times_ms) <= max(NEWCOMER_MS, 10 * before_ms)
