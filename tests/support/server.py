"""A real server in a process of its own, on a free port: a test can start, stop and kill it, and start it again."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.support.forked import Forked

READY: Final = re.compile(r"Noughts (?:is ready: open|waits for its store at) (http://[^\s:]+:\d+[^\s:]*)")
QUICK: Final = {
    "NOUGHTS_ENGINE_PACE_MS": "0",
    "NOUGHTS_ENGINES_PACE_MS": "0",
    "NOUGHTS_LIMITS": "off",
    "NOUGHTS_WORKERS": "1",
}
"""Settings for tests that neither wait for the engine's pace nor test limits. Each worker takes 0.3 s to start."""
START_S: Final = 60.0
_OF_INTERPRETER: Final = ("LD_", "PYTHON")
"""Variables that count when an interpreter starts."""


class RunningServer:
    """``noughts serve`` on a data directory. ``log`` is all that it wrote."""

    def __init__(self, data: Path, environment: Mapping[str, str] | None = None, *flags: str) -> None:
        self.data = data
        self.environment = dict(environment or {})
        self.flags = flags
        self.port = 0
        self.url = ""
        self.log = ""
        self.process: subprocess.Popen[str] | Forked | None = None
        self.stderr = subprocess.STDOUT
        """Where standard error goes: into ``log``, or to the file with this descriptor."""
        self._reader: threading.Thread | None = None
        self._ready = threading.Event()
        self._serves = False

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self, *prefix: str) -> RunningServer:
        """Start, on the same port as before, and wait until the server is ready. ``prefix`` is a command to run it under."""
        self._ready.clear()
        self._serves = False
        inherited = {name: text for name, text in os.environ.items() if not name.startswith("NOUGHTS_")}
        environment = {**inherited, "PYTHONWARNINGS": "default", **self.environment}
        arguments = ["serve", "--port", str(self.port), "--data", str(self.data), *self.flags]
        if prefix or any(name.startswith(_OF_INTERPRETER) for name in self.environment):
            self.process = subprocess.Popen(
                [*prefix, sys.executable, "-m", "noughts", *arguments],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                text=True,
                start_new_session=True,
            )
        else:
            self.process = Forked(arguments, environment, self.stderr)
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        if not self._ready.wait(START_S) or not self._serves:
            self.kill()
            raise AssertionError(f"the server did not start:\n{self.log}")
        return self

    def _read(self, process: subprocess.Popen[str] | Forked) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.log += line
            match = READY.search(line)
            if match:
                self.url = match[1]
                self.port = urlsplit(self.url).port or 0
                self._serves = True
                self._ready.set()
        self._ready.set()

    def stop(self, timeout: float = 30.0) -> int:
        """Send SIGTERM and wait for the end. Return the exit status."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout)
        self._end()
        return status

    def stop_well(self) -> None:
        """Stop the server. Fail if its exit status is not 0, or if it logged a traceback."""
        try:
            status = self.stop()
        finally:
            self.kill()
        assert status == 0, self.log
        assert "Traceback" not in self.log, self.log

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server alone."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL to the server and to its workers, which are in sessions of their own."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                workers = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
                os.killpg(self.process.pid, signal.SIGKILL)
                for pid in map(int, workers):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            self.process.wait(10.0)
            self._end()

    def _end(self) -> None:
        if self._reader is not None:
            self._reader.join(5.0)
        # A process that inherited the pipe may still hold it. Closing it then would wait for that process.
        reads = self._reader is not None and self._reader.is_alive()
        if self.process is not None and self.process.stdout is not None and not reads:
            self.process.stdout.close()
        self.process = None
