"""Calls of the server to its disk fail under play, for every reason that a disk has: nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from tests.support.footprint import descriptors
from tests.support.ledger import Ledger
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api, enter
from tests.support.raw_websocket import LOBBY_HELLO, TEXT, client_frame, upgrade_request
from tests.support.server import QUICK, RunningServer
from tests.support.strace import TRACEABLE, BrokenDisk, store_files
from tests.support.waiting import until

ROOMS = 5
FAULTS = (
    ("pwrite64", "EIO"),
    ("pwrite64", "ENOSPC"),
    ("pwrite64", "EROFS"),
    ("pwrite64", "EINTR"),
    ("fdatasync", "EIO"),
    ("fdatasync", "ENOSPC"),
    ("fdatasync", "EINTR"),
    ("pread64", "EIO"),
    ("pread64", "EINTR"),
)
EVERY = 7
"""One call of this many fails."""
DESCRIPTORS = 256
FEW_DESCRIPTORS = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))"


async def read_again_and_again(path: Path) -> None:
    """Change the file beside the server, until cancelled, so that SQLite reads pages again that it holds in memory."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=WAIT_S)) as other:
        other.execute("PRAGMA wal_autocheckpoint=0")
        while True:
            other.execute("INSERT OR REPLACE INTO bans VALUES('203.0.113.9')")
            await asyncio.sleep(0.05)


async def until_ready(server: RunningServer, status: int = 200) -> None:
    """Wait until the server answers with a status that it is ready, or that it is not."""
    async with asyncio.timeout(WAIT_S):
        while (await Api(server.url).call("GET", "/readyz"))[0] != status:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)


async def check_before_and_after_a_kill(server: RunningServer, ledger: Ledger) -> None:
    """Compare what was acknowledged with the server, then with one that starts on the same data."""
    await ledger.check()
    server.kill()
    server.start()
    await ledger.check()


@pytest.mark.parametrize(("faults", "count"), [(FAULTS[::4], 3), pytest.param(FAULTS, 60, marks=pytest.mark.long)])
async def test_calls_that_fail_now_and_then(
    traced: RunningServer, faults: Sequence[tuple[str, str]], count: int
) -> None:
    """Writes, flushes and reads, for one reason each, and in the long form for each. At the end the server is killed."""
    ledger = Ledger(traced)
    await ledger.open_rooms(ROOMS)
    other = asyncio.create_task(read_again_and_again(store_files(traced)[0]))
    broken = 0
    try:
        for call, error in faults:
            disk = BrokenDisk(traced, f"error={error}:when={EVERY}+{EVERY}", call, store_files(traced))
            try:
                async with ledger.playing():
                    await disk.until_faults(count)
            finally:
                disk.mend()
            broken += disk.faults
            await until_ready(traced)
    finally:
        other.cancel()
        await asyncio.wait([other])
    await ledger.check()
    traced.kill()
    assert "Traceback" not in traced.log, traced.log
    traced.start()
    await ledger.check()
    assert not ledger.violations
    print(f"{broken} calls failed: {ledger.figures()}")


async def test_a_full_disk_with_the_log_on_it(tmp_path: Path) -> None:
    """The file, its log and the log of the server: all of them go on when there is space again."""
    lines = tmp_path / "log.txt"
    server = RunningServer(tmp_path / "data", QUICK)
    server.stderr = os.open(lines, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ledger = Ledger(server)
    try:
        server.start(sys.executable, "-c", TRACEABLE)
        await ledger.open_rooms(ROOMS)
        async with ledger.playing():
            await ledger.until(20)
            disk = BrokenDisk(server, "error=ENOSPC", "pwrite64,write", (*store_files(server), lines))
            try:
                await until_ready(server, 503)
                # The line about the store may have been written just before the disk was full.
                async with asyncio.timeout(WAIT_S):
                    while "the store cannot be used" not in lines.read_text():
                        if await metric(server, "noughts_log_lines_dropped_total"):
                            break
                        await asyncio.sleep(0.05)
            finally:
                disk.mend()
            await ledger.until(60)
        await check_before_and_after_a_kill(server, ledger)
    finally:
        server.kill()
        os.close(server.stderr)
    assert not ledger.violations
    print(f"a full disk: {ledger.figures()}")


@pytest.mark.parametrize("hang_ms", [3_300, pytest.param(12_000, marks=pytest.mark.long)])
async def test_a_disk_that_hangs_with_the_log_on_it(tmp_path: Path, hang_ms: int) -> None:
    """Each flush hangs, and so does each line of the log about it. The event loop waits for neither."""
    lines = tmp_path / "log.txt"
    server = RunningServer(tmp_path / "data", QUICK)
    server.stderr = os.open(lines, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ledger, pings_ms = Ledger(server), list[float]()
    try:
        server.start(sys.executable, "-c", TRACEABLE)
        await ledger.open_rooms(ROOMS)
        async with ledger.playing(), enter(server, ledger.rooms[0].id) as watcher:
            disk = BrokenDisk(server, f"delay_enter={hang_ms * 1000}", "fdatasync,write", (*store_files(server), lines))
            try:
                while not disk.faults_of("write") or disk.faults_of("fdatasync") < 2:
                    disk.check()
                    began_s = time.monotonic()
                    assert (await watcher.ask("ping"))["type"] == "pong"
                    pings_ms.append((time.monotonic() - began_s) * 1000)
                    await asyncio.sleep(0.5)  # two pings a second are free
            finally:
                disk.mend()
            await ledger.until(60)
        await check_before_and_after_a_kill(server, ledger)
        assert "given the time back" in lines.read_text()
    finally:
        server.kill()
        os.close(server.stderr)
    assert not ledger.violations
    print(f"flushes and the log hang for {hang_ms / 1000} s: pongs after {max(pings_ms):.0f} ms, {ledger.figures()}")
    assert max(pings_ms) < hang_ms / 2


async def test_the_store_recovers_while_all_descriptors_are_used(tmp_path: Path) -> None:
    """Strangers hold every connection that the server takes. The store opens its file again all the same."""
    server = RunningServer(tmp_path / "data", QUICK)
    ledger = Ledger(server)
    with ExitStack() as strangers:
        try:
            server.start(sys.executable, "-c", FEW_DESCRIPTORS + TRACEABLE)
            await ledger.open_rooms(ROOMS)
            async with ledger.playing():
                await ledger.until(20)
                for number in range(DESCRIPTORS):
                    address = (f"127.9.{number}.1", 0)
                    stranger = socket.create_connection(("127.0.0.1", server.port), source_address=address)
                    strangers.enter_context(stranger)
                    with suppress(OSError):  # the server takes no more
                        stranger.sendall(upgrade_request() + client_frame(TEXT, LOBBY_HELLO))
                await until(lambda: descriptors(server.pid) > DESCRIPTORS // 2)
                disk = BrokenDisk(server, "error=EIO")
                try:
                    await until(lambda: "the store cannot be used" in server.log)
                finally:
                    disk.mend()
                await until(lambda: "the store can be used again" in server.log)
                strangers.close()
                await ledger.until(60)
            await ledger.check()
        finally:
            server.kill()
    assert not ledger.violations
    print(f"no descriptors: {ledger.figures()}")
