"""A server forked from a process that has imported the program: it starts in a tenth of the time of a new interpreter."""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from multiprocessing.connection import Connection
from subprocess import STDOUT
from typing import Final
from unittest.mock import patch

from noughts.command_line import main

_CONTEXT: Final = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["noughts.app.commands.serve_command", "noughts.store.redis.backend", __name__])


class Forked:
    """``noughts`` in a process and session of its own, with what tests use of ``subprocess.Popen``.

    ``stderr`` is a descriptor, or STDOUT as ``subprocess`` means it. That the engine's programs run on this machine
    is not tried again.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], stderr: int) -> None:
        reader, writer = _CONTEXT.Pipe(duplex=False)
        errors = writer if stderr == STDOUT else Connection(os.dup(stderr), readable=False)
        self._process = _CONTEXT.Process(target=_run, args=(arguments, environment, writer, errors), daemon=True)
        self._process.start()
        for end in {writer, errors}:
            end.close()
        assert self._process.pid is not None
        self.pid = self._process.pid
        self.stdout = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        reader.close()

    def poll(self) -> int | None:
        """Return the exit status, None while the process runs. A signal is a negative one."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit status. Raise TimeoutError."""
        self._process.join(timeout)
        if (status := self.poll()) is None:
            raise TimeoutError(f"the server did not end within {timeout} s")
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid, number)


def _run(arguments: Sequence[str], environment: Mapping[str, str], output: Connection, errors: Connection) -> None:
    os.setsid()
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    for end in {output, errors}:
        end.close()
    os.environ.clear()
    os.environ.update(environment)
    warnings.simplefilter("default")  # PYTHONWARNINGS counts only when an interpreter starts
    with patch("noughts.app.commands.serve_command.program_trial", lambda: nullcontext(lambda: None)):
        sys.exit(main(arguments))
