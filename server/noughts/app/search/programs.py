"""Whether the engine's compiled programs run on this machine. A child process finds it out by running them, once.

The serving process does not load the runtime of the programs. A machine on which it crashes loses only the child.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from noughts.engine.levels import level_names
from noughts.engine.solvable import needs_program
from noughts.rules.variant import VARIANTS

TRIAL_S: Final = 30
"""Seconds that the child may take. It takes 0.4 s on an idle machine."""
COMMAND: Final = (
    sys.executable,
    "-c",
    f"import signal, sys; signal.alarm({TRIAL_S}); from noughts.engine.kernels import fault; sys.exit(fault())",
)


@contextmanager
def program_trial(command: Sequence[str] = COMMAND) -> Iterator[Callable[[], str | None]]:
    """Start a child process that runs the programs, and end it with the block. Raise OSError if there can be no process.

    Yield a function that waits for it and returns why the programs do not run here, None if they do.
    """
    # A session of its own, so that Ctrl-C in a terminal reaches the server alone, which ends its children.
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:

        def fault() -> str | None:
            _, errors = process.communicate()
            if process.returncode == -signal.SIGALRM:
                return f"the programs did not end within {TRIAL_S} s"
            if process.returncode < 0:
                return f"signal {-process.returncode} ended a process that ran the programs"
            last_line = errors.strip().rpartition("\n")[2]
            return (last_line or "a process that ran the programs failed") if process.returncode else None

        try:
            yield fault
        finally:
            process.kill()


class Programs(NamedTuple):
    """What the engine can do on this machine. ``fault`` says why its compiled programs do not run; None if they do."""

    fault: str | None = None

    def levels(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the levels that a server offers, by variant, weakest first."""
        return {key: level_names(variant, programs_run=self.fault is None) for key, variant in VARIANTS.items()}

    def limitation(self) -> str:
        """Return a sentence about the variants that the engine plays without a search; empty if there are none."""
        if self.fault is None:
            return ""
        names = ", ".join(variant.name for variant in VARIANTS.values() if needs_program(variant))
        return f"the engine plays {names} without a search: {self.fault}"
