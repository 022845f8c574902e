"""tools/pure_beside.py: all tests run once, in two processes, and either can fail the run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.reading import ROOT
from tools.pure_beside import FLOORS

TEST = """
import os
from pathlib import Path
import pytest

def test_{name}():
    Path("{name}.pid").write_text(str(os.getpid()))
    assert {passes}

@pytest.mark.long
def test_{name}_for_long():
    raise AssertionError("a long test")
"""
SETTINGS = "[pytest]\ntestpaths = tests\nmarkers = long: a longer run\naddopts = --import-mode=importlib\n"


def tree(directory: Path, **passes: bool) -> None:
    """Write a test for each name, in a directory of this name."""
    for name, passing in passes.items():
        folder = directory / "tests" / name
        folder.mkdir(parents=True)
        (folder / f"test_{name}.py").write_text(TEST.format(name=name, passes=passing))
    (directory / "pytest.ini").write_text(SETTINGS)


def run(directory: Path, *arguments: str) -> tuple[int, str]:
    """Run the tests as ``make test`` does. Return the exit status and the output."""
    command = [sys.executable, "-m", "pytest", "-m", "not long", "-p", "tools.pure_beside", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    process = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr


def pids(directory: Path) -> dict[str, str]:
    """Return the process of each test that ran."""
    return {path.stem: path.read_text() for path in directory.glob("*.pid")}


def test_all_tests_run_once_in_two_processes(tmp_path: Path) -> None:
    tree(tmp_path, **dict.fromkeys((*FLOORS, "app", "store"), True))
    status, output = run(tmp_path)
    assert status == 0, output
    ran = pids(tmp_path)
    assert ran.keys() == {*FLOORS, "app", "store"}
    assert len({ran[floor] for floor in FLOORS}) == 1
    assert ran["app"] == ran["store"] != ran["rules"]
    assert re.findall(r"(\d) passed, (\d) deselected", output) == [("4", "4"), ("2", "2")]
    assert "2 passed" in output.splitlines()[-1]


def test_a_failure_in_the_second_process_fails_the_run(tmp_path: Path) -> None:
    tree(tmp_path, rules=True, room=False, app=True)
    status, output = run(tmp_path)
    assert status == 1
    assert "FAILED tests/room/test_room.py" in output
    assert len(pids(tmp_path)) == 3


@pytest.mark.parametrize("arguments", [["tests/rules", "tests/app"], ["-k", "rules or app"]])
def test_chosen_tests_run_in_one_process(tmp_path: Path, arguments: list[str]) -> None:
    tree(tmp_path, rules=True, app=True)
    status, output = run(tmp_path, *arguments)
    assert status == 0, output
    assert len(set(pids(tmp_path).values())) == 1
    assert "beside these tests" not in output
