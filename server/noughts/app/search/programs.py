"""Whether the engine's compiled programs run on this machine. A child process finds it out by running one, once.

The serving process does not load the runtime of the programs. A machine on which it crashes loses only the child.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Final, Self

from noughts.engine.levels import level_names
from noughts.engine.solvable import needs_program
from noughts.rules.variant import VARIANTS

COMMAND: Final = (
    sys.executable,
    "-c",
    "import sys; from noughts.engine.compiled.program import fault; sys.exit(fault())",
)
TRIAL_S: Final = 30.0
"""Seconds that the child may take. It takes 0.15 s on an idle machine."""


class ProgramTrial:
    """A child process that runs a program. The end of its ``with`` block ends it."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        """Start the process. Raise OSError if the system cannot start one."""
        # A session of its own, so that Ctrl-C in a terminal reaches the server alone, which ends its children.
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        with self._process:
            self._process.kill()

    def fault(self, seconds: float = TRIAL_S) -> str | None:
        """Wait for the process; return why the programs do not run here, None if they do."""
        expired = threading.Event()

        def end() -> None:
            expired.set()
            self._process.kill()

        # Not communicate(timeout=...): it sleeps by the system's clock, which tests of several nodes set for a process.
        timer = threading.Timer(seconds, end)
        timer.start()
        _, errors = self._process.communicate()
        timer.cancel()
        if expired.is_set():
            return f"a program did not end within {seconds:g} s"
        if self._process.returncode < 0:
            return f"signal {-self._process.returncode} ended a process that ran a program"
        last_line = errors.strip().rpartition("\n")[2]
        return (last_line or "a process that ran a program failed") if self._process.returncode else None


def levels_offered(*, programs_run: bool) -> dict[str, tuple[str, ...]]:
    """Return the names of the levels that a server offers, by variant, weakest first."""
    return {key: level_names(variant, programs_run=programs_run) for key, variant in VARIANTS.items()}


def without_search() -> str:
    """Return the names of the variants that the engine plays without a search where the programs do not run."""
    return ", ".join(variant.name for variant in VARIANTS.values() if needs_program(variant))
