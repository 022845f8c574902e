"""Search processes that are stopped or killed as they search: no game is lost for lack of one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.player import enter, guest
from tests.support.rooms import engine_room
from tests.support.searching import until
from tests.support.server import RunningServer

CLOCK = {"mode": "move", "move_ms": 5_000}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "2"})
    try:
        yield running.start()
    finally:
        running.kill()


def search_processes(server: RunningServer) -> list[int]:
    """Return the process ids of the server's workers."""
    command = ["pgrep", "-P", str(server.pid), "-f", "noughts.app.search.worker"]
    return [int(pid) for pid in subprocess.run(command, check=False, capture_output=True, text=True).stdout.split()]


async def signal_workers(server: RunningServer, number: signal.Signals) -> None:
    """Send a signal to each worker, over and over, until cancelled."""
    while True:
        for pid in search_processes(server):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
async def test_the_engine_loses_no_game_without_its_workers(server: RunningServer, number: signal.Signals) -> None:
    """No worker can end a search, new ones neither. The first moves are off the clock."""
    ann = await guest(server.url, "Ann")
    room = (await engine_room(server, ann, variant="gomoku", level="strongest", clock=CLOCK))["room"]["id"]
    async with enter(server, room, ann) as socket:
        await socket.move("h8")
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 2)
        signals = asyncio.create_task(signal_workers(server, number))
        try:
            await socket.move("a1")
            view = await socket.until_room(lambda view: len(view["game"]["moves"]) == 4 or view["phase"] == "finished")
            assert view["game"]["outcome"] is None
        finally:
            signals.cancel()
            await asyncio.wait((signals,))
    await until(lambda: "search worker lost" in server.log)
    assert server.log.count("search worker lost") == 1  # the others are counted
    assert server.log.count("the engine answered without a search") <= 1
