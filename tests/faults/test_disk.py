"""The disk fails under a running server: what cannot be stored is not told as done, and service goes on when it can."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys

import pytest

from tests.support.player import WAIT_S, Api, guest
from tests.support.rooms import Pair, pair
from tests.support.server import QUICK, RunningServer

STRACE = shutil.which("strace")

TRACEABLE = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(ctypes.c_int(0x59616D61), ctypes.c_ulong(-1), *[ctypes.c_ulong()] * 3)  # PR_SET_PTRACER, ANY
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Where only a parent may trace (Yama), a process can allow others to; elsewhere the call does nothing."""


@pytest.fixture(autouse=True)
def _strace() -> None:
    assert STRACE, "strace is missing: apt install strace"


@pytest.fixture
def server(tmp_path):
    """A server that strace may be put on."""
    running = RunningServer(tmp_path / "data", QUICK)
    try:
        yield running.start(sys.executable, "-c", TRACEABLE)
    finally:
        running.kill()


class BrokenDisk:
    """strace on the running server: each flush to the disk fails as told, until it is mended."""

    def __init__(self, server, fault):
        calls = "fdatasync,fsync"
        self.process = subprocess.Popen(
            [STRACE, "-f", "-q", "-p", str(server.pid), "-e", f"trace={calls}", "-e", f"inject={calls}:error={fault}"],
            stderr=subprocess.PIPE,
            text=True,
        )

    def mend(self):
        self.process.terminate()
        self.process.wait(15)
        self.process.stderr.close()


async def broken(server, fault, table: Pair):
    """Break the disk, and wait until it shows."""
    disk = BrokenDisk(server, fault)
    async with asyncio.timeout(WAIT_S):
        while True:
            assert disk.process.poll() is None, disk.process.stderr.read()
            answer = await table.o.ask("chat", text="does it write?")
            if answer["type"] == "rejected":
                assert (answer["code"], answer["retry_ms"] > 0) == ("unavailable", True)
                return disk


@pytest.mark.parametrize("fault", ["EIO", "ENOSPC"])
async def test_a_disk_that_fails_and_recovers(server, fault):
    async with pair(server) as table, pair(server) as prober:
        await table.play("b2", "a1")
        disk = await broken(server, fault, prober)
        try:
            seen = len(table.o.seen)
            answer = await table.x.ask("move", id="m", ply=2, cell="c3")
            assert (answer["type"], answer["code"]) == ("rejected", "unavailable")
            # Save, then tell: nobody was shown the move.
            assert (await table.o.ask("ping"))["type"] == "pong"
            shown = [m for m in table.o.seen[seen:] if m["type"] == "room" and len(m["room"]["game"]["moves"]) > 2]
            assert shown == []
            status, refused = await Api(server.url).call("POST", "/api/players", {})
            assert (status, refused["error"]["code"]) == (503, "unavailable")
            assert (await Api(server.url).call("GET", "/readyz"))[0] == 503
            assert (await Api(server.url).call("GET", "/healthz"))[0] == 200
        finally:
            disk.mend()
        async with asyncio.timeout(WAIT_S):
            while True:  # the same id again, as the contract has it
                answer = await table.x.ask("move", id="m", ply=2, cell="c3")
                if answer["type"] == "ok":
                    break
                assert answer["code"] == "unavailable", answer
        assert (await table.view())["game"]["moves"] == ["b2", "a1", "c3"]
        await table.play("a2")
        assert (await Api(server.url).get("/readyz")) == {"status": "ready"}
        await guest(server.url)
    server.kill()
    server.start()
    assert (await Api(server.url).get(f"/api/rooms/{table.id}"))["game"]["moves"] == ["b2", "a1", "c3", "a2"]


async def test_clocks_charge_nobody_while_the_disk_fails(server):
    """Also not in a game that asked nothing of the store meanwhile."""
    clock = {"mode": "move", "move_ms": 4_000}
    long = {"mode": "move", "move_ms": 60_000}
    async with (
        pair(server, clock=clock) as table,
        pair(server, clock=clock) as quiet,
        pair(server, clock=long) as thinking,
        pair(server) as prober,
    ):
        for each in (table, quiet, thinking):
            await each.play("b2", "a1")
        disk = await broken(server, "EIO", prober)
        try:
            loop = asyncio.get_running_loop()
            until = loop.time() + 5
            while loop.time() < until:  # longer than a move may take
                assert await table.x.rejected("move", ply=2, cell="c3") == "unavailable"
                await asyncio.sleep(0.2)
        finally:
            disk.mend()
        for each in (table, quiet):
            async with asyncio.timeout(WAIT_S):
                while (answer := await each.x.ask("move", id="m", ply=2, cell="c3"))["type"] != "ok":
                    assert answer["code"] == "unavailable", answer
            assert (await each.view())["phase"] == "playing"
        # Whose flag was far away has got the time back too: the clock runs from a later moment than the last move.
        await thinking.x.until_room(lambda room: room["clock"]["at_ms"] > room["created_ms"] + 4_000)
        record = await Api(server.url).get(f"/api/rooms/{thinking.id}/games/1")
        assert (await thinking.view())["clock"]["at_ms"] - record["moves"][1]["at_ms"] >= 4_000
