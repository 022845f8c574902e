"""A server that strace may be put on, and strace on it: the disk fails, or becomes slow, until it is mended."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.player import WAIT_S
from tests.support.server import QUICK, RunningServer

TRACEABLE = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(ctypes.c_int(0x59616D61), ctypes.c_ulong(-1), *[ctypes.c_ulong()] * 3)  # PR_SET_PTRACER, ANY
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Where only a parent may trace (Yama), a process can allow others to. Elsewhere this does nothing."""

FLUSHES = "fdatasync,fsync"


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that strace may be put on."""
    assert shutil.which("strace"), "strace is missing: apt install strace"
    running = RunningServer(tmp_path / "data", QUICK)
    try:
        yield running.start(sys.executable, "-c", TRACEABLE)
    finally:
        running.kill()


class BrokenDisk:
    """strace on a running server. ``fault`` is what happens to each flush to the disk, such as ``error=EIO``."""

    def __init__(self, server: RunningServer, fault: str) -> None:
        options = ["-f", "-q", "-p", str(server.pid), "-e", f"trace={FLUSHES}", "-e", f"inject={FLUSHES}:{fault}"]
        self._process = subprocess.Popen(["strace", *options], stderr=subprocess.PIPE, text=True)

    def check(self) -> None:
        """Fail if strace could not be put on the server."""
        assert self._process.poll() is None, self._process.stderr and self._process.stderr.read()

    def mend(self) -> None:
        """Let the disk work again."""
        self._process.terminate()
        self._process.wait(15)
        if self._process.stderr is not None:
            self._process.stderr.close()


async def slow_disk(server: RunningServer, delay_ms: int) -> BrokenDisk:
    """Delay each flush of a server to its disk, and wait until strace does so: all its threads are traced."""
    disk = BrokenDisk(server, f"delay_enter={delay_ms * 1000}")
    until_s = time.monotonic() + WAIT_S
    while not _all_traced(server.pid):
        disk.check()
        assert time.monotonic() < until_s, "strace did not attach"
        await asyncio.sleep(0.01)
    return disk


def _all_traced(pid: int) -> bool:
    """Return whether another process traces each thread of a process."""
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        tracer = [line for line in status.read_text().splitlines() if line.startswith("TracerPid:")]
        if tracer[0].split()[1] == "0":
            return False
    return True
