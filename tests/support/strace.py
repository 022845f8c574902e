"""A server that strace may be put on, and strace on it: system calls fail, or become slow, until the disk is mended."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
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

_numbers = itertools.count()

FLUSHES = "fdatasync,fsync"


def strace() -> str:
    """Return the path of strace. Fail if it is missing: nothing is tested without it."""
    path = shutil.which("strace")
    assert path, "strace is missing: apt install strace"
    return path


def store_files(server: RunningServer) -> tuple[Path, Path]:
    """Return the paths of a server's database file and of its log."""
    return server.data / "noughts.db", server.data / "noughts.db-wal"


def killed_at(server: RunningServer, call: str, number: int) -> tuple[str, ...]:
    """Return the command under which a server is killed as one of its threads makes this call on the store once more."""
    paths = [flag for path in store_files(server) for flag in ("-P", str(path))]
    fault = f"inject={call}:signal=KILL:when={number}"
    return (strace(), "-f", "-q", "-o", "/dev/null", *paths, "-e", f"trace={call}", "-e", fault)


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that strace may be put on."""
    strace()
    running = RunningServer(tmp_path / "data", QUICK)
    try:
        yield running.start(sys.executable, "-c", TRACEABLE)
    finally:
        running.kill()


class BrokenDisk:
    """strace on a running server. ``fault`` is what happens to each of some calls, such as ``error=EIO``.

    With ``paths``, only calls on these files are concerned.
    """

    def __init__(self, server: RunningServer, fault: str, calls: str = FLUSHES, paths: Sequence[Path] = ()) -> None:
        self._log = server.data.with_name(f"strace-{next(_numbers)}.txt")
        files = [flag for path in paths for flag in ("-P", str(path))]
        options = ["-f", "-q", "-p", str(server.pid), "-o", str(self._log), *files]
        injection = ["-e", f"trace={calls}", "-e", f"inject={calls}:{fault}"]
        self._process = subprocess.Popen([strace(), *options, *injection], stderr=subprocess.PIPE, text=True)

    def check(self) -> None:
        """Fail if strace could not be put on the server."""
        assert self._process.poll() is None, self._process.stderr and self._process.stderr.read()

    @property
    def faults(self) -> int:
        """How many calls were broken so far."""
        return self.faults_of(r"\w+")

    def faults_of(self, call: str) -> int:
        """Return how many calls whose name matches an expression were broken so far."""
        broken = re.compile(rf"\b{call}(?:\(| resumed>).*\((?:INJECTED|DELAYED)\)$", re.M)
        return len(broken.findall(self._log.read_text())) if self._log.exists() else 0

    async def until_faults(self, count: int) -> None:
        """Wait until this many calls were broken."""
        async with asyncio.timeout(WAIT_S):
            while self.faults < count:
                self.check()
                await asyncio.sleep(0.05)

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
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            tracer = [line for line in status.read_text().splitlines() if line.startswith("TracerPid:")]
            if tracer[0].split()[1] == "0":
                return False
    return True
