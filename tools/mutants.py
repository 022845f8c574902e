"""Remove one guard at a time from a copy of the program, and show that a test fails.

    python -m tools.mutants                     try every mutant of tests/mutants.toml
    python -m tools.mutants chat room/seats     try those whose guard or file contains one of these texts

First all named tests run in the unchanged copy, where they must pass. Exit with status 1 when a mutant survives: its tests
pass without the guard. Exit with status 2 when the tests fail without a mutant, or cannot be run with one.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
TABLE: Final = ROOT / "tests" / "mutants.toml"
LEFT_OUT: Final = (".*", "__pycache__", "node_modules", "build", "dist", "data", "*.egg-info")
"""Files and directories that the tests of a mutant do not need."""
TIMEOUT_S: Final = 300.0
"""How long the tests of one mutant may take. Some guards end a wait: without such a guard its test waits for ever."""

Verdict: TypeAlias = Literal["killed", "survived", "broken"]


class Mutant(NamedTuple):
    """One guard removed: in ``file``, ``old`` becomes ``new``, and at least one of ``tests`` must fail.

    ``tests`` are arguments of pytest: files, and ``-k`` with an expression.
    """

    guard: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def applied(self, text: str) -> str:
        """Return the text of the file without the guard. Raise ValueError unless ``old`` occurs exactly once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {text.count(self.old)} times: {self.old}")
        return text.replace(self.old, self.new)


class Trial(NamedTuple):
    """What came of one mutant. ``output`` is the end of what pytest printed."""

    mutant: Mutant
    verdict: Verdict
    seconds: float
    output: str


def mutants(path: Path = TABLE) -> list[Mutant]:
    """Return the mutants of a table."""
    rows = tomllib.loads(path.read_text())["mutant"]
    return [Mutant(row["guard"], row["file"], row["old"], row["new"], tuple(row["tests"])) for row in rows]


def copied(root: Path, directory: Path) -> Path:
    """Copy the tree, without what the tests do not need. Return the copy."""
    return Path(shutil.copytree(root, directory, ignore=shutil.ignore_patterns(*LEFT_OUT)))


def run_tests(tree: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run pytest in a copy of the tree, up to the first failure."""
    path = os.pathsep.join((str(tree / "server"), str(tree)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not long", *tests]
    return subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )


def trial(mutant: Mutant, tree: Path) -> Trial:
    """Run the tests of a mutant in a copy of the tree, and restore the copy."""
    path, began_s = tree / mutant.file, time.monotonic()
    text = path.read_text()
    path.write_text(mutant.applied(text))
    try:
        run = run_tests(tree, mutant.tests)
        verdict: Verdict = {0: "survived", 1: "killed"}.get(run.returncode, "broken")  # type: ignore[assignment]
        output = run.stdout + run.stderr
    except subprocess.TimeoutExpired:
        verdict, output = "killed", ""
    finally:
        path.write_text(text)
    return Trial(mutant, verdict, time.monotonic() - began_s, output[-2_000:])


def trials(chosen: Sequence[Mutant], root: Path, jobs: int) -> Iterable[Trial]:
    """Yield the trial of each mutant as it ends. ``jobs`` of them run at a time, each in a copy of its own."""
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(jobs) as pool:
        trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(jobs):
            trees.put(copied(root, Path(directory) / str(number)))

        def run(mutant: Mutant) -> Trial:
            tree = trees.get()
            try:
                return trial(mutant, tree)
            finally:
                trees.put(tree)

        for future in as_completed([pool.submit(run, mutant) for mutant in chosen]):
            yield future.result()


def passes_unchanged(chosen: Sequence[Mutant], root: Path) -> bool:
    """Return whether the tests of all mutants pass without a mutant, so that a failure shows that the guard is gone."""
    with tempfile.TemporaryDirectory() as directory:
        tree = copied(root, Path(directory) / "tree")
        files = sorted({test.partition("::")[0] for mutant in chosen for test in mutant.tests if test.endswith(".py")})
        run = run_tests(tree, files)
    if run.returncode != 0:
        print(run.stdout[-4_000:] + run.stderr[-1_000:])
    return run.returncode == 0


def main(arguments: Sequence[str], root: Path = ROOT, table: Path = TABLE) -> int:
    """Try the mutants of a table. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description="Show that each guard has a test.")
    parser.add_argument("texts", nargs="*", help="try only mutants whose guard or file contains one of these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many run at a time")
    options = parser.parse_args(arguments)
    chosen = [
        mutant
        for mutant in mutants(table)
        if not options.texts or any(text in mutant.guard or text in mutant.file for text in options.texts)
    ]
    if not chosen:
        parser.error("no guard and no file contains this text")
    print(f"{len(chosen)} mutants. Their tests run unchanged first.", flush=True)
    if not passes_unchanged(chosen, root):
        print("These tests fail without a mutant: mend them first.")
        return 2
    verdicts: list[Verdict] = []
    for done in trials(chosen, root, options.jobs):
        verdicts.append(done.verdict)
        print(
            f"{len(verdicts):3}/{len(chosen)} {done.verdict:8} {done.seconds:5.1f} s  {done.mutant.guard}", flush=True
        )
        if done.verdict != "killed":
            print(f"    {done.mutant.file}: {done.mutant.old.strip()}\n{done.output}")
    survived, broken = verdicts.count("survived"), verdicts.count("broken")
    print(f"{verdicts.count('killed')} killed, {survived} survived, {broken} broken")
    return 1 if survived else 2 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
