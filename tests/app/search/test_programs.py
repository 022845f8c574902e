"""Whether the compiled programs run is found out by a child process, and a server that cannot run them offers less."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from noughts.app.search.programs import Programs, program_trial


def test_the_programs_run_on_this_machine() -> None:
    with program_trial() as fault:
        assert fault() is None


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('wasmtime cannot run programs here (no right)')", "wasmtime cannot run programs here"),
        ("raise ImportError('no such module')", "ImportError: no such module"),
        ("import sys; sys.exit(3)", "a process that ran the programs failed"),
        (f"import os; os.kill(os.getpid(), {int(signal.SIGILL)})", "signal 4 ended a process"),
        ("import signal; signal.setitimer(signal.ITIMER_REAL, 0.1); signal.pause()", "did not end within 30 s"),
    ],
    ids=["says why", "raises", "says nothing", "crashes", "hangs"],
)
def test_a_trial_that_fails_says_why(code: str, reason: str) -> None:
    with program_trial((sys.executable, "-c", code)) as fault:
        assert reason in (fault() or "")


def test_without_the_programs_four_variants_have_fewer_levels() -> None:
    everything, less = Programs().levels(), Programs("no wheel").levels()
    changed = [key for key in everything if everything[key] != less[key]]
    assert sorted(changed) == ["four-in-a-row", "gomoku", "qubic", "ultimate"]
    assert less["gomoku"] == ("novice", "beginner", "casual")
    assert all(less[key] == everything[key][: len(less[key])] for key in changed)
    assert Programs("no wheel").limitation().count(", ") == 3
    assert Programs().limitation() == ""


def test_the_serving_process_loads_no_runtime_of_the_programs() -> None:
    """Workers do, and the trial does."""
    names = "('noughts.app.server' in sys.modules, 'wasmtime' in sys.modules)"
    code = f"import sys, noughts.app.commands.serve_command; print(*{names})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "True False\n"
