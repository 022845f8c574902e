"""Many addresses fill the server with rooms. A newcomer still gets one."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import aiohttp
import pytest

from noughts.app.runtime.addresses import LOOPBACK
from tests.support.local_server import LocalServer, local_server

ADDRESSES = 64
MAX_ROOMS = 256
ROOMS_OF_ADDRESS = 8
NEWCOMER_MS = 1_000
ROOM = {"variant": "classic", "opponent": "friend"}


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
    monkeypatch.setattr("noughts.app.rooms.factory.MAX_ROOMS", MAX_ROOMS)
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
