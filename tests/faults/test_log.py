"""The server's log cannot be written: the disk is full, its reader is gone, or the pipe is not read. Games go on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from noughts.app.runtime.admin_secret import read_secrets
from tests.support.full_pipe import full_pipe
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api
from tests.support.rooms import pair
from tests.support.server import QUICK, RunningServer


async def play_through_an_outage(server: RunningServer) -> None:
    """Play while the store fails, which is logged, and go on after it, all on the same sockets."""
    path = server.data / "noughts.db"
    async with pair(server) as room:
        await room.play("b2", "a1")
        path.rename(path.with_name("aside.db"))
        async with asyncio.timeout(WAIT_S):
            while (await room.x.ask("move", id="m", ply=2, cell="c3"))["type"] == "ok":
                pass
            path.with_name("aside.db").rename(path)
            while (await room.x.ask("move", id="m", ply=2, cell="c3"))["type"] != "ok":
                pass
            # An answer to a command sent again comes from memory. The outage itself may last a little longer.
            while (await room.o.ask("move", id="n", ply=3, cell="a3"))["type"] != "ok":
                pass
        assert (await room.view())["game"]["moves"] == ["b2", "a1", "c3", "a3"]


@pytest.mark.parametrize("fault", ["full disk", "no reader", "not read"])
async def test_a_server_starts_with_an_unwritable_log(tmp_path: Path, fault: str) -> None:
    """Also when standard output goes to the same place: a supervisor starts it again on the full disk or the full pipe."""
    with full_pipe() as pipe:
        if fault == "no reader":
            pipe.close_read_end()
        descriptor = os.open("/dev/full", os.O_WRONLY) if fault == "full disk" else os.dup(pipe.write_end)
        data = tmp_path / "data"
        command = [sys.executable, "-m", "noughts", "serve", "--port", "0", "--data", str(data)]
        process = subprocess.Popen(command, stdout=descriptor, stderr=descriptor, env={**os.environ, **QUICK})
        try:
            async with asyncio.timeout(WAIT_S):
                while not (secrets := read_secrets(data)) and process.poll() is None:  # noqa: ASYNC110 - it starts
                    await asyncio.sleep(0.05)
                assert (await Api(secrets[0].url).call("GET", "/readyz"))[0] == 200
            process.terminate()
            assert await asyncio.to_thread(process.wait, WAIT_S) == 0
        finally:
            process.kill()
            process.wait()
            os.close(descriptor)


@pytest.mark.parametrize("fault", ["full disk", "no reader"])
async def test_a_failing_log_closes_no_socket(tmp_path: Path, fault: str) -> None:
    """What was not written is counted."""
    with full_pipe() as pipe:
        pipe.close_read_end()
        descriptor = os.open("/dev/full", os.O_WRONLY) if fault == "full disk" else os.dup(pipe.write_end)
        server = RunningServer(tmp_path / "data", QUICK)
        server.stderr = descriptor
        try:
            server.start()
            await play_through_an_outage(server)
            async with asyncio.timeout(WAIT_S):
                while not (lines := await metric(server, "noughts_log_lines_dropped_total")):  # noqa: ASYNC110 - another process counts
                    await asyncio.sleep(0.1)
            assert await asyncio.to_thread(server.stop) == 0
        finally:
            server.kill()
            os.close(descriptor)
    print(f"a log with {fault}: {lines:.0f} lines dropped and counted, 0 sockets cut")


async def test_an_unread_log_does_not_stop_the_server(tmp_path: Path) -> None:
    """Not even the end of the server. Once it is read, the lines that waited come."""
    with full_pipe() as pipe:
        server = RunningServer(tmp_path / "data", QUICK)
        server.stderr = pipe.write_end
        try:
            server.start()
            await play_through_an_outage(server)
            pipe.read(pipe.filled)
            assert b"the store cannot be used" in await asyncio.to_thread(pipe.read, 200)
            assert await asyncio.to_thread(server.stop) == 0
        finally:
            server.kill()
        print(f"a pipe with {pipe.filled} bytes that nobody reads: 0 sockets cut, the lines came once it was read")
