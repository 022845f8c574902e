"""tools/module_coverage.py: which tests are a module's own, and what it measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.module_coverage import Coverage, measure, missing_text, module_of, modules, own_tests, table, threshold

# --- which tests are a module's own -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "module"),
    [
        ("room/test_step.py", "room/step.py"),
        ("room/test_step_speech.py", "room/step.py"),
        ("room/test_storage_v1.py", "room/storage_v1.py"),
        ("room/test_evening.py", None),
        ("test_errors.py", "errors.py"),
        ("store/test_step.py", None),
    ],
)
def test_the_longest_name_of_a_module_wins(test: str, module: str | None) -> None:
    assert module_of(test, ["errors.py", "room/step.py", "room/storage.py", "room/storage_v1.py"]) == module


def test_the_suite_of_a_contract_belongs_to_its_implementation() -> None:
    own = own_tests(
        ["store/contract.py", "store/sqlite/bans.py", "store/sqlite/schema.py"],
        ["store/test_contract_bans.py", "store/sqlite/test_bans.py"],
    )
    assert own == {
        "store/contract.py": ["store/test_contract_bans.py"],
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


def measured(tmp_path: Path, code: str) -> Coverage:
    """Return the coverage of ``room/idempotency.py`` by a test that runs this code."""
    test = tmp_path / "test_code.py"
    test.write_text(f"import subprocess, sys\n\ndef test_code():\n    {code}\n")
    return measure("room/idempotency.py", [str(test)])


def test_the_lines_that_run_are_counted(tmp_path: Path) -> None:
    coverage = measured(tmp_path, "from noughts.room.idempotency import IdempotencyKeys; IdempotencyKeys()")
    assert 20 < coverage.lines < 100
    assert coverage.branches < 50
    assert coverage.missing
    assert not coverage.is_enough


def test_child_processes_are_measured(tmp_path: Path) -> None:
    coverage = measured(
        tmp_path, "subprocess.run([sys.executable, '-c', 'import noughts.room.idempotency'], check=True)"
    )
    assert 20 < coverage.lines < 100


def test_tests_that_fail_are_not_enough(tmp_path: Path) -> None:
    coverage = measured(tmp_path, "raise ValueError('a bug')")
    assert "ValueError: a bug" in coverage.failure
    assert not coverage.is_enough
    assert measure("room/idempotency.py", []).failure == "it has no tests of its own"


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
