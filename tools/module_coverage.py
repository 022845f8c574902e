"""Measure the coverage of each module by its own tests.

    python -m tools.module_coverage                     measure every module
    python -m tools.module_coverage room store/relay    measure the modules below these paths
    python -m tools.module_coverage --core              measure the modules of which every branch must run

Other tests do not count: a line that only a test of another module runs is a line that its own tests do not check.
The tests run once, and coverage.py records which test file runs each line. Child processes, such as a search worker or
``noughts serve``, are traced too. Left out are long tests and tests marked ``search`` (tracing makes them slow, and they run
no line that other tests of their module do not).

Exit with status 1 when a module has too little coverage, has no tests, or when its tests fail.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

import coverage

from tools.coverage_contexts import context_of

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "server" / "noughts"
TESTS: Final = ROOT / "tests"
FLOORS: Final = sorted(path.name for path in PACKAGE.iterdir() if (TESTS / path.name).is_dir())
"""Directories that ``tests`` has in common with the package."""
IMPLEMENTATIONS: Final = ("store/sqlite/", "store/redis/")
"""Directories whose modules implement the contracts of ``store/``."""

COMPLETE: Final = (
    "errors.py", "values.py", "rules/", "room/", "protocol/",
    "engine/engine.py", "engine/levels.py", "engine/budget.py", "engine/verdict.py", "engine/kernel.py",
    "engine/kernels.py", "engine/book.py", "engine/symmetry.py", "engine/prove.py",
)  # fmt: skip
"""Modules of which the tests run every line and every branch."""
MIN_PERCENT: Final = 95.0
"""The least coverage of lines, and that of branches, of all other modules."""


class Coverage(NamedTuple):
    """What the own tests of a module run of it, in percent."""

    module: str
    tests: int
    lines: float = 0.0
    branches: float = 0.0
    missing: str = ""

    @property
    def is_enough(self) -> bool:
        return self.tests > 0 and min(self.lines, self.branches) >= threshold(self.module)


# --- which tests are a module's own -----------------------------------------------------------------------------------


def modules() -> list[str]:
    """Return the paths of all modules below the package, without ``__init__.py``."""
    paths = (path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    return sorted(path for path in paths if not path.endswith("__init__.py"))


def mirrored_tests() -> list[str]:
    """Return the paths below ``tests`` of all test files that mirror the package."""
    paths = [path for floor in FLOORS for path in (TESTS / floor).rglob("test_*.py")]
    return sorted(path.relative_to(TESTS).as_posix() for path in [*paths, *TESTS.glob("test_*.py")])


def module_of(test: str, names: Iterable[str]) -> str | None:
    """Return the module that a test file is named for, or None.

    ``room/test_step.py`` and ``room/test_step_speech.py`` are named for ``room/step.py``. If there are two candidates,
    the longer name wins: ``store/test_room_store.py`` is named for ``store/room_store.py``.
    """
    path = Path(test)
    words = path.stem.removeprefix("test_").split("_")
    candidates = ((path.parent / "_".join(words[:count])).as_posix() + ".py" for count in range(len(words), 0, -1))
    return next((name for name in candidates if name in names), None)


def own_tests(names: Iterable[str], tests: Iterable[str]) -> dict[str, list[str]]:
    """Return the test files of each module, which may be none.

    The suite of a contract is one of the tests of each implementation: ``store/test_contract_bans.py`` and
    ``store/test_archive.py`` run ``store/sqlite/bans.py`` and ``store/sqlite/archive.py``.
    """
    own: dict[str, list[str]] = {name: [] for name in names}
    for test in tests:
        module = module_of(test, own)
        if module is not None:
            own[module].append(test)
    suites = {test for files in own.values() for test in files}
    for name, files in own.items():
        for directory in IMPLEMENTATIONS:
            if name.startswith(directory):
                store, contract = Path(directory).parent.as_posix(), name.removeprefix(directory)
                files += [
                    suite
                    for suite in (f"{store}/test_{contract}", f"{store}/test_contract_{contract}")
                    if suite in suites
                ]
    return own


def threshold(module: str) -> float:
    """Return the percentage of lines, and of branches, that the own tests of a module must run."""
    return 100.0 if module.startswith(COMPLETE) else MIN_PERCENT


# --- one run of the tests ---------------------------------------------------------------------------------------------


class TracedRun(NamedTuple):
    """A run of pytest that was traced: where its data is, and its output if a test failed."""

    data_files: tuple[Path, ...]
    failure: str = ""


def run_tests(tests: Sequence[str], directory: Path) -> TracedRun:
    """Run test files in one process and trace the package, child processes included. Write the data into a directory."""
    directory.mkdir()
    command = [sys.executable, "-m", "coverage", "run", f"--data-file={directory / 'data'}", f"--source={PACKAGE}"]
    command += ["-m", "pytest", "-q", "-m", "not long and not search", "-p", "tools.coverage_contexts"]
    command += ["-p", "no:cacheprovider", "-p", "no:schemathesis", *(str(TESTS / test) for test in tests)]
    path = os.pathsep.join([str(PACKAGE.parent), str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    failure = process.stdout + process.stderr if process.returncode else ""
    return TracedRun(tuple(directory.glob("data*")), failure)


# --- one module -------------------------------------------------------------------------------------------------------


def measure(own: Mapping[str, Sequence[str]], runs: Sequence[TracedRun], directory: Path) -> list[Coverage]:
    """Return the coverage of modules by their own tests, from the data of all runs."""
    measurement = coverage.Coverage(data_file=directory / "combined", config_file=ROOT / "pyproject.toml")
    measurement.combine([str(path) for run in runs for path in run.data_files], keep=True)
    measurement.save()
    return [_summary(measurement, module, tests, directory / "report.json") for module, tests in sorted(own.items())]


def _summary(measurement: coverage.Coverage, module: str, tests: Sequence[str], report: Path) -> Coverage:
    """Return the percentages of lines and branches that the own tests of a module run, and which they do not."""
    if not tests:
        return Coverage(module, 0, missing="it has no tests of its own")
    contexts = ["^$", *(f"^{re.escape(context_of(TESTS / test))}$" for test in tests)]
    measurement.json_report(include=[str(PACKAGE / module)], contexts=contexts, outfile=str(report))
    (file,) = json.loads(report.read_text())["files"].values()
    totals: Mapping[str, Any] = file["summary"]
    return Coverage(
        module,
        len(tests),
        _percent(totals["covered_lines"], totals["num_statements"]),
        _percent(totals["covered_branches"], totals["num_branches"]),
        missing_text(file["missing_lines"], file["missing_branches"]),
    )


def _percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 100.0


def missing_text(lines: Sequence[int], branches: Sequence[Sequence[int]]) -> str:
    """Return lines and branches in short: ``3-5, 9, 12->14, 20->end``. A branch between missing lines is left out."""
    runs = [[line for _, line in run] for _, run in groupby(enumerate(lines), lambda pair: pair[1] - pair[0])]
    parts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    for start, end in branches:
        if start not in lines and end not in lines:
            parts.append(f"{start}->{end if end > 0 else 'end'}")
    return ", ".join(parts)


# --- all modules ------------------------------------------------------------------------------------------------------


def shares(tests: Sequence[str]) -> list[list[str]]:
    """Return the tests in two shares, which take about as long: those of the engine, and all others."""
    halves = [[test for test in tests if test.startswith("engine/") is engine] for engine in (True, False)]
    return [half for half in halves if half]


def table(results: Iterable[Coverage]) -> str:
    """Return one line for each module: its tests, the lines and branches that they run, and what is missing."""
    lines = [f"{'module':<40} {'tests':>5} {'lines':>6} {'branches':>8}  missing"]
    for result in results:
        sign = " " if result.is_enough else "!"
        figures = f"{result.tests:>5} {result.lines:>6.1f} {result.branches:>8.1f}"
        lines.append(f"{sign} {result.module:<38} {figures}  {result.missing}".rstrip())
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description="Measure the coverage of each module by its own tests.")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="measure only modules below this path, such as room")
    parser.add_argument("--core", action="store_true", help="measure only modules of which every branch must run")
    options = parser.parse_args(arguments)
    own = own_tests(modules(), mirrored_tests())
    if options.core:
        own = {name: tests for name, tests in own.items() if name.startswith(COMPLETE)}
    if options.paths:
        own = {name: tests for name, tests in own.items() if name.startswith(tuple(options.paths))}
    tests = sorted({test for files in own.values() for test in files})
    start_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="coverage-") as name:
        directory = Path(name)
        print(f"running {len(tests)} test files, which takes some minutes", file=sys.stderr, flush=True)
        with ThreadPoolExecutor() as pool:
            jobs = [pool.submit(run_tests, share, directory / str(n)) for n, share in enumerate(shares(tests))]
            runs = [job.result() for job in jobs]
        for run in runs:
            if run.failure:
                print(run.failure)
        results = measure(own, runs, directory)
    short = [result for result in results if not result.is_enough]
    failed = any(run.failure for run in runs)
    print(table(results))
    print(f"\n{len(results)} modules in {time.monotonic() - start_s:.0f} s, {len(short)} with too little coverage (!)")
    return 1 if short or failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
