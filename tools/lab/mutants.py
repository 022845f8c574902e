"""Remove one guard at a time from a copy of the program, and show that a test fails.

    python -m tools.lab.mutants                     try every guard of tests/guards.py
    python -m tools.lab.mutants chat room.seats     try those whose sentence or module contains one of these texts

First the named tests run with an unchanged copy. Exit with status 1 when a mutant survives, which means that its tests pass
without the guard. Exit with status 2 when tests fail without a mutant, or cannot be run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Final

from tests.guards import GUARDS
from tests.support.guard import Guard

ROOT: Final = Path(__file__).resolve().parents[2]
TIMEOUT_S: Final = 300.0
"""The longest run of the tests of one mutant. Some guards end a wait, so without them a test waits for ever."""
VERDICTS: Final = {0: "survived", 1: "killed"}
"""What a mutant is by the exit status of pytest. With any other status the tests could not be run."""


def run_tests(server: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Run tests with this copy of the program, up to the first failure. Return the verdict and what pytest printed."""
    environment = {**os.environ, "PYTHONPATH": str(server), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", "-m", "not long", *tests]
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return "killed", f"{tests}: not ended after {TIMEOUT_S:.0f} s\n"
    return VERDICTS.get(run.returncode, "broken"), run.stdout[-4_000:]


def trial(guard: Guard | None, tests: Sequence[str]) -> tuple[Guard | None, str, str]:
    """Run tests with a copy of the program that lacks a guard, or nothing. Return the guard, the verdict and the output."""
    with tempfile.TemporaryDirectory() as directory:
        server = Path(directory) / "server"
        shutil.copytree(ROOT / "server", server, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        (Path(directory) / "client_web").symlink_to(ROOT / "client_web")
        if guard is not None:
            path = server / guard.file
            path.write_text(guard.removed_from(path.read_text()))
        return guard, *run_tests(server, tests)


def main(arguments: Sequence[str]) -> int:
    """Try guards. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.lab.mutants", description="Show that each guard has a test.")
    parser.add_argument("texts", nargs="*", help="try only guards whose sentence or module contains one of these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of runs at a time")
    options = parser.parse_args(arguments)
    texts: list[str] = options.texts or [""]
    chosen = [guard for guard in GUARDS if any(text in guard.sentence or text in guard.module for text in texts)]
    if not chosen:
        parser.error("no guard contains this text")
    print(f"{len(chosen)} guards. Their tests run unchanged first.", flush=True)
    _, unchanged, output = trial(None, sorted({test for guard in chosen for test in guard.tests}))
    if unchanged != "survived":
        print(output)
        return 2
    verdicts: list[str] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(trial, guard, guard.tests) for guard in chosen]):
            guard, verdict, output = done.result()
            verdicts.append(verdict)
            print(f"{len(verdicts):3}/{len(chosen)} {verdict:8} {guard.sentence if guard else ''}", flush=True)
            if verdict != "killed":
                print(output)
    survived, broken = verdicts.count("survived"), verdicts.count("broken")
    print(f"{verdicts.count('killed')} killed, {survived} survived, {broken} broken")
    return 1 if survived else 2 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
