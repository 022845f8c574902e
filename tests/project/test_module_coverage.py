"""tools/module_coverage.py: which tests are a module's own, and what it measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tools import module_coverage
from tools.module_coverage import (
    Coverage,
    TracedRun,
    measure,
    missing_text,
    module_of,
    modules,
    own_tests,
    run_tests,
    table,
    threshold,
)

# --- which tests are a module's own -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "module"),
    [
        ("room/test_step.py", "room/step.py"),
        ("room/test_step_speech.py", "room/step.py"),
        ("store/test_room_store.py", "store/room_store.py"),
        ("room/test_evening.py", None),
        ("test_errors.py", "errors.py"),
        ("store/test_step.py", None),
    ],
)
def test_the_longest_name_of_a_module_wins(test: str, module: str | None) -> None:
    assert module_of(test, ["errors.py", "room/step.py", "store/room.py", "store/room_store.py"]) == module


def test_the_suite_of_a_contract_belongs_to_its_implementation() -> None:
    own = own_tests(
        [
            "store/archive.py",
            "store/contract.py",
            *(f"store/sqlite/{name}.py" for name in ("archive", "bans", "schema")),
        ],
        ["store/test_archive.py", "store/test_contract_bans.py", "store/sqlite/test_bans.py"],
    )
    assert own == {
        "store/archive.py": ["store/test_archive.py"],
        "store/contract.py": ["store/test_contract_bans.py"],
        "store/sqlite/archive.py": ["store/test_archive.py"],
        "store/sqlite/bans.py": ["store/sqlite/test_bans.py", "store/test_contract_bans.py"],
        "store/sqlite/schema.py": [],
    }


def test_thresholds() -> None:
    modules_at_100 = {module for module in modules() if threshold(module) == 100}
    assert {"errors.py", "rules/game.py", "room/step.py", "protocol/codec.py", "engine/book.py"} <= modules_at_100
    assert modules_at_100.isdisjoint({"engine/negamax.py", "engine/four_in_a_row/book.py", "store/relay.py"})
    assert threshold("app/server.py") == 95


# --- what it measures ------------------------------------------------------------------------------------------------


def test_missing_lines_and_branches_are_short() -> None:
    branches = [(3, 9), (12, 14), (20, -18)]
    assert missing_text([3, 4, 5, 9], branches) == "3-5, 9, 12->14, 20->end"


MODULE = "room/idempotency.py"
USE = "from noughts.room.idempotency import IdempotencyKeys; IdempotencyKeys()"


def run(directory: Path, **codes: str) -> TracedRun:
    """Run one test for each name and code, each in a file of its own."""
    files = []
    for name, code in codes.items():
        file = directory / f"test_{name}.py"
        file.write_text(f"import subprocess, sys\n\ndef test_code():\n    {code}\n")
        files.append(str(file))
    return run_tests(files, directory / "data")


class Measured:
    """One run of three test files: the module's own, another one, and one that uses the module in a child process."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        child = f"subprocess.run([sys.executable, '-c', {USE!r}], check=True)"
        self._run = run(directory, other="pass", child=child, own=USE)

    def by(self, *names: str) -> Coverage:
        """Return the coverage of ``room/idempotency.py``, as if these test files were the only ones of its own."""
        files = [str(self._directory / f"test_{name}.py") for name in names]
        return measure({MODULE: files}, [self._run], self._directory)[0]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return Measured(tmp_path_factory.mktemp("measured"))


def test_the_lines_that_run_are_counted(measured: Measured) -> None:
    coverage = measured.by("own")
    assert 20 < coverage.lines < 100
    assert coverage.branches < 50
    assert coverage.missing
    assert not coverage.is_enough


def test_only_a_modules_own_tests_count(measured: Measured) -> None:
    assert measured.by("own").lines > measured.by("other").lines == 0


def test_child_processes_are_measured(measured: Measured) -> None:
    assert measured.by("child").lines > 20


def test_tests_that_fail_are_shown(tmp_path: Path) -> None:
    assert "ValueError: a bug" in run(tmp_path, own="raise ValueError('a bug')").failure


def test_a_module_without_tests_has_too_little_coverage(measured: Measured) -> None:
    coverage = measured.by()
    assert coverage.missing == "it has no tests of its own"
    assert not coverage.is_enough


@pytest.mark.parametrize(
    ("module", "lines", "branches", "is_enough"),
    [
        ("room/step.py", 100.0, 100.0, True),
        ("room/step.py", 100.0, 99.9, False),
        ("app/server.py", 95.0, 95.0, True),
        ("app/server.py", 94.9, 100.0, False),
        ("app/server.py", 100.0, 94.9, False),
    ],
)
def test_lines_and_branches_both_count(module: str, lines: float, branches: float, is_enough: bool) -> None:
    coverage = Coverage(module, 1, lines, branches, "3-5")
    assert coverage.is_enough is is_enough
    assert table([coverage]).splitlines()[1].startswith(f"{' ' if is_enough else '!'} {module} ")


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("branches", "failure", "status"), [(100.0, "", 0), (99.9, "", 1), (100.0, "a test failed", 1)]
)
def test_the_command_fails_when_a_module_is_short(
    branches: float, failure: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a test fails. With ``--core`` it measures the modules of which every branch must run."""
    names: list[str] = []

    def measured(own: Mapping[str, Sequence[str]], runs: Sequence[TracedRun], directory: Path) -> list[Coverage]:
        names.extend(own)
        return [Coverage("room/step.py", 1, 100.0, branches)]

    monkeypatch.setattr(module_coverage, "run_tests", lambda tests, directory: TracedRun((), failure))
    monkeypatch.setattr(module_coverage, "measure", measured)
    assert module_coverage.main(["--core"]) == status
    assert {threshold(name) for name in names} == {100.0}
    assert {"rules/game.py", "room/step.py", "protocol/codec.py", "engine/engine.py"} <= set(names)
