"""A server in a process of its own, on a core of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

START_S: Final = 60.0
STOP_S: Final = 30.0
CORES: Final = sorted(os.sched_getaffinity(0))
LOAD_CORE: Final = CORES[0]
SERVER_CORE: Final = CORES[1 % len(CORES)]


def pin(pid: int, core: int) -> None:
    """Keep a process on one core."""
    os.sched_setaffinity(pid, {core})


class Child:
    """A server that the benchmark starts, measures and stops.

    Args:
        command: What to run.
        ready: A pattern of the line that the server writes when it is ready; its first group is kept in ``address``.
        environment: What is added to this process's own environment, without its ``NOUGHTS_`` variables.
        folder: The working directory.
    """

    def __init__(
        self,
        command: Sequence[str],
        ready: str,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self._command = list(command)
        self._ready = re.compile(ready.encode())
        self._environment = dict(environment or {})
        self._folder = folder
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        self._process: subprocess.Popen[bytes] | None = None
        self.address = ""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the server and return when it is ready.

        Raises:
            RuntimeError: It ended, or was not ready in time. The text is its log.
        """
        inherited = {name: text for name, text in os.environ.items() if not name.startswith("NOUGHTS_")}
        self._process = subprocess.Popen(
            self._command,
            env={**inherited, **self._environment},
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        pin(self._process.pid, SERVER_CORE)
        deadline = time.monotonic() + START_S
        while True:
            ready = self._ready.search(self.log())
            if ready is not None:
                self.address = ready[1].decode()
                return
            if self._process.poll() is not None or time.monotonic() > deadline:
                text = self.log().decode(errors="replace")
                self.kill()
                raise RuntimeError(f"{self._command} did not start:\n{text}")
            await asyncio.sleep(0.005)

    def log(self) -> bytes:
        """Return what the server has written so far."""
        descriptor = self._log.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)

    def stop(self) -> None:
        """Ask the server to end; kill it if it does not."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()
        self._log.close()
        self._process = None

    def kill(self) -> None:
        """Kill the server with its own children."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(STOP_S)
