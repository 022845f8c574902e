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
from tests.support.server import RunningServer

CLOCK = {"mode": "move", "move_ms": 5_000}
CELLS = ("h8", "a1", "o15", "a15")


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
    """No worker can end a search, new ones neither. The first moves are off the clock; the others take five seconds."""
    ann = await guest(server.url, "Ann")
    room = (await engine_room(server, ann, variant="gomoku", level="strongest", clock=CLOCK))["room"]["id"]
    async with enter(server, room, ann) as socket:
        await socket.move(CELLS[0])
        await socket.until_room(lambda view: len(view["game"]["moves"]) == 2)
        signals = asyncio.create_task(signal_workers(server, number))
        try:
            for ply, cell in ((2, CELLS[1]), (4, CELLS[2])):
                await socket.move(cell)
                view = await socket.until_room(
                    lambda view, ply=ply: len(view["game"]["moves"]) == ply + 2 or view["phase"] == "finished"  # type: ignore[misc]
                )
                assert view["game"]["outcome"] is None
        finally:
            signals.cancel()
            await asyncio.wait((signals,))
    assert server.log.count("search worker lost") == 1
    assert server.log.count("the engine answered without a search") <= 1
