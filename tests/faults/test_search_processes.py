"""Search processes that are stopped or killed as they search: no game is lost for lack of one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.app.runtime.logs import LINES
from tests.support.metrics import metric
from tests.support.player import WAIT_S, enter, guest
from tests.support.rooms import engine_room
from tests.support.searching import workers_of
from tests.support.server import RunningServer
from tests.support.waiting import until

CLOCK = {"mode": "move", "move_ms": 6_000}
"""The engine waits for a worker for half of it. A busy machine has the other half for a move without a search."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "2"})
    try:
        yield running.start()
    finally:
        running.kill()


async def signal_workers(server: RunningServer, number: signal.Signals) -> None:
    """Send a signal to each worker, over and over, until cancelled."""
    while True:
        for pid in workers_of(server.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGSTOP, pytest.param(signal.SIGKILL, marks=pytest.mark.long)])
async def test_the_engine_loses_no_game_while_workers_die(server: RunningServer, number: signal.Signals) -> None:
    """No worker can end a search, new ones neither. The first moves are off the clock."""
    ann = await guest(server.url, "Ann")
    room = (await engine_room(server, ann, variant="gomoku", level="strongest", clock=CLOCK))["room"]["id"]
    async with enter(server, room, ann) as socket:
        await socket.move("h8")
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 2)
        signals = asyncio.create_task(signal_workers(server, number))
        began_s = time.monotonic()
        try:
            await socket.move("a1")
            view = await socket.until_room(lambda view: len(view["game"]["moves"]) == 4 or view["phase"] == "finished")
            assert view["game"]["outcome"] is None
            took_s = time.monotonic() - began_s
        finally:
            signals.cancel()
            await asyncio.wait((signals,))
    await until(lambda: "search worker lost" in server.log)
    for line in ("search worker lost", "the engine answered without a search"):
        assert server.log.count(line) <= LINES  # the others are counted
    print(f"all workers get {number.name}: the engine moved after {took_s:.1f} s of 6")


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.long)])
async def test_a_repeatedly_killed_worker_is_replaced(server: RunningServer, kills: int) -> None:
    """One worker for each move, while the engine searches. Each move comes, on a clock."""
    ann = await guest(server.url, "Ann")
    clock = {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 30_000}
    room, killed = "", 0
    while killed < kills:
        room = (await engine_room(server, ann, variant="gomoku", level="strongest", clock=clock))["room"]["id"]
        async with enter(server, room, ann) as socket:
            while killed < kills and socket.room["phase"] == "playing":
                await socket.move(socket.room["game"]["legal"][-1])
                if socket.room["phase"] == "playing":
                    killed += await killed_worker(server)
                    await socket.until_room(lambda view: view["phase"] == "finished" or view["game"]["turn"] == "X")
            assert socket.room["game"]["outcome"] is None or socket.room["game"]["outcome"]["reason"] == "line"
    assert "Traceback" not in server.log
    assert await metric(server, "noughts_search_pool_restarts") >= 1
    assert await metric(server, "noughts_faults_total") == 0
    print(f"{killed} workers killed: every move of the engine came in time")


async def killed_worker(server: RunningServer) -> int:
    """Kill the worker that searches, as far as one does. Return how many were killed."""
    workers = workers_of(server.pid)
    for pid in workers[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(workers[:1])


async def test_workers_that_run_short_of_memory(server: RunningServer) -> None:
    """The system gives them no more than they have. They end, and the engine moves all the same, on a clock."""
    ann = await guest(server.url, "Ann")
    room = (await engine_room(server, ann, variant="ultimate", level="strongest", clock=CLOCK))["room"]["id"]
    async with asyncio.timeout(WAIT_S):
        while len(workers_of(server.pid)) < 2:  # noqa: ASYNC110 - another process starts them
            await asyncio.sleep(0.05)
    for pid in workers_of(server.pid):
        resource.prlimit(pid, resource.RLIMIT_AS, (1 << 20, 1 << 20))
    began_s = time.monotonic()
    async with enter(server, room, ann) as socket:
        for moves in (2, 4):
            await socket.move(socket.room["game"]["legal"][0])
            view = await socket.until_room(lambda view, moves=moves: len(view["game"]["moves"]) == moves)  # type: ignore[misc]
            assert view["game"]["outcome"] is None
    took_s = time.monotonic() - began_s
    await until(lambda: "search worker lost" in server.log)
    print(f"workers without memory: {moves // 2} moves of the engine in {took_s:.1f} s, on a clock of 6 s a move")
