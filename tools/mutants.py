"""Remove one guard at a time from a copy of the program, and show that a test fails.

    python -m tools.mutants                     try every mutant of tests/mutants.toml
    python -m tools.mutants chat room/seats     try those whose guard or file contains one of these texts

First all named tests run in unchanged copies. Mutants whose tests fail there are left out. Exit with status 1 when a mutant
survives: its tests pass without the guard. Exit with status 2 when tests fail without a mutant, or cannot be run with one.
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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

ROOT: Final = Path(__file__).resolve().parent.parent
TABLE: Final = ROOT / "tests" / "mutants.toml"
LEFT_OUT: Final = (".*", "node_modules", "build", "dist", "data", "*.egg-info")
"""Files and directories that the tests of a mutant do not need."""
UNUSED_PLUGINS: Final = ("cacheprovider", "schemathesis", "hypothesispytest")
"""Plugins of pytest that the tests of the mutants do not need. The last two take most of the time of a start."""
TIMEOUT_S: Final = 300.0
"""How long the tests of one mutant may take. Some guards end a wait: without such a guard its test waits for ever."""

T = TypeVar("T")
R = TypeVar("R")
Verdict: TypeAlias = Literal["killed", "survived", "broken"]
VERDICTS: Final[dict[int, Verdict]] = {0: "survived", 1: "killed"}
"""What a mutant is by the exit status of pytest. All others say that the tests could not be run."""


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


def run_tests(tree: Path, tests: Sequence[str]) -> tuple[Verdict, str]:
    """Run pytest in a copy of the tree, up to the first failure. Return what a mutant there is, and what was printed.

    Tests that do not end have noticed the mutant.
    """
    path = os.pathsep.join((str(tree / "server"), str(tree)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    without = [option for plugin in UNUSED_PLUGINS for option in ("-p", f"no:{plugin}")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", *without, "-m", "not long", *tests]
    try:
        run = subprocess.run(
            command,
            cwd=tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return "killed", f"{tests}: not ended after {TIMEOUT_S:.0f} s\n"
    return VERDICTS.get(run.returncode, "broken"), run.stdout[-4_000:]


def trial(mutant: Mutant, tree: Path) -> Trial:
    """Run the tests of a mutant in a copy of the tree, and restore the copy."""
    path, began_s = tree / mutant.file, time.monotonic()
    text = path.read_text()
    path.write_text(mutant.applied(text))
    try:
        verdict, output = run_tests(tree, mutant.tests)
    finally:
        path.write_text(text)
    return Trial(mutant, verdict, time.monotonic() - began_s, output)


def in_copies(each: Sequence[T], run: Callable[[T, Path], R], root: Path, jobs: int) -> Iterator[R]:
    """Yield the results of a function of one of these and a copy of the tree, as they come. ``jobs`` run at a time."""
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(jobs) as pool:
        trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(jobs):
            trees.put(copied(root, Path(directory) / str(number)))

        def run_in_copy(one: T) -> R:
            tree = trees.get()
            try:
                return run(one, tree)
            finally:
                trees.put(tree)

        for future in as_completed([pool.submit(run_in_copy, one) for one in each]):
            yield future.result()


def fails_unchanged(file: str, tree: Path) -> str:
    """Return the name of a test file that fails without a mutant, so that its failure would show nothing. Else return ""."""
    verdict, output = run_tests(tree, [file])
    if verdict == "survived":
        return ""
    print(output)
    return file


def files_of(mutant: Mutant) -> set[str]:
    """Return the test files of a mutant."""
    return {test.partition("::")[0] for test in mutant.tests if ".py" in test}


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
    files = sorted(set().union(*[files_of(mutant) for mutant in chosen]))
    failing = set(in_copies(files, fails_unchanged, root, options.jobs)) - {""}
    if failing:
        print(
            f"These tests fail without a mutant: {', '.join(sorted(failing))}. Their mutants are left out.", flush=True
        )
    tried = [mutant for mutant in chosen if not failing & files_of(mutant)]
    verdicts: list[Verdict] = []
    for done in in_copies(tried, trial, root, options.jobs):
        verdicts.append(done.verdict)
        print(f"{len(verdicts):3}/{len(tried)} {done.verdict:8} {done.seconds:5.1f} s  {done.mutant.guard}", flush=True)
        if done.verdict != "killed":
            print(f"    {done.mutant.file}: {done.mutant.old.strip()}\n{done.output}")
    survived, broken = verdicts.count("survived"), verdicts.count("broken")
    print(f"{verdicts.count('killed')} killed, {survived} survived, {broken} broken")
    return 1 if survived else 2 if broken or failing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
