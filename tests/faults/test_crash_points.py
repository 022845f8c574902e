"""The server is killed at exact points of its work with the disk, over and over on one data directory: nothing is lost."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.support.ledger import Ledger
from tests.support.player import WAIT_S
from tests.support.server import QUICK, RunningServer
from tests.support.strace import TRACEABLE, BrokenDisk, killed_at, store_files

KINDS = ("pwrite64", "fdatasync")
ROOMS = 5


async def play_until_killed(server: RunningServer, ledger: Ledger, call: str, number: int) -> None:
    """Let players play until the server is killed, as its store makes this call for this many times more."""
    disk = BrokenDisk(server, f"signal=KILL:when={number}", call, store_files(server))
    assert server.process is not None
    try:
        async with ledger.playing():
            await asyncio.to_thread(server.process.wait, WAIT_S)
    finally:
        disk.mend()
        server.kill()


def start_until_killed(server: RunningServer, call: str, number: int) -> bool:
    """Start a server that is killed at a call. Return whether that was before it served."""
    try:
        server.start(*killed_at(server, call, number))
    except AssertionError:
        return True
    server.kill()
    return False


@pytest.mark.parametrize(("points", "starts"), [(3, 1), pytest.param(60, 8, marks=pytest.mark.long)])
async def test_a_kill_at_any_write_or_flush(tmp_path: Path, points: int, starts: int) -> None:
    """Under play and at the start. After each, everything acknowledged is there, and the games go on."""
    server = RunningServer(tmp_path / "data", QUICK)
    ledger = Ledger(server)
    killed_at_start = 0
    try:
        server.start(sys.executable, "-c", TRACEABLE)
        await ledger.open_rooms(ROOMS)
        for point in range(points):
            await play_until_killed(server, ledger, KINDS[point % 2], 2 + point * 53 % 240)
            if point * starts // points != (point + 1) * starts // points:
                killed_at_start += start_until_killed(server, KINDS[0], 1 + killed_at_start % 4)
            server.start(sys.executable, "-c", TRACEABLE)
            await ledger.check()
        assert killed_at_start
    finally:
        server.kill()
    assert not ledger.violations
    print(f"{points} crash points, {killed_at_start} of them at a start too: {ledger.figures()}")
