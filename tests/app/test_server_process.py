"""The whole server as a process: its workers, its event loop, and what its responses say about it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import StartServer
from tests.support.local_server import local_server
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api, enter, guest
from tests.support.rooms import pair
from tests.support.searching import is_alive, workers_of
from tests.support.waiting import until

DRAIN_S: Final = 2


async def test_the_workers_of_a_killed_server_end_too(start_server: StartServer) -> None:
    server = start_server(workers=2)
    ann = await guest(server.url)
    await ann.get("/api/analysis?variant=classic&moves=b2")  # one of them has worked
    await until(lambda: len(workers_of(server.pid)) >= 2)
    pids = workers_of(server.pid)
    os.kill(server.pid, signal.SIGKILL)  # the server alone
    await until(lambda: not any(map(is_alive, pids)))


async def test_a_draining_server_still_serves(start_server: StartServer) -> None:
    """/readyz answers 503 at once, and clients come and play until the time is over. Then they are closed with 1012."""
    server = start_server(drain_s=DRAIN_S, workers=1)
    async with pair(server) as room:
        began_s = time.monotonic()
        os.kill(server.pid, signal.SIGTERM)
        async with asyncio.timeout(WAIT_S):
            while (await Api(server.url).call("GET", "/readyz"))[0] != 503:
                pass
        await room.x.move("b2")
        async with enter(server, room.id) as late:
            assert late.room["game"]["moves"] == ["b2"]
            assert {await socket.closed() for socket in (room.x, room.o, late)} == {1012}
        assert time.monotonic() - began_s >= DRAIN_S
    assert await asyncio.to_thread(server.stop) == 0


async def test_the_lag_of_the_event_loop_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.app.node.upkeep.LAG_INTERVAL_S", 0.01)
    async with local_server(tmp_path) as server:
        async with asyncio.timeout(WAIT_S):
            while not await metric(server, "noughts_loop_lag_seconds"):
                pass
