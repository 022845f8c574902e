"""A pytest plugin for ``tools/module_coverage.py``: coverage.py records which test file runs each line.

A line that runs while modules are imported has no context, and counts for every test file.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

import coverage
import pytest

TESTS: Final = Path(__file__).resolve().parent.parent / "tests"
LOWER_FLOORS: Final = ("test_errors.py", "test_values.py", "rules", "engine", "room", "protocol", "store")


def context_of(path: Path) -> str:
    """Return the context of a test file: its path below ``tests``, or the whole path of a file elsewhere."""
    return path.relative_to(TESTS).as_posix() if path.is_relative_to(TESTS) else str(path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the lower floors first, so that a module's own tests are the first to compute what the module caches."""
    items.sort(key=lambda item: _floor(context_of(item.path)))


def _floor(context: str) -> int:
    top = context.partition("/")[0]
    return LOWER_FLOORS.index(top) if top in LOWER_FLOORS else len(LOWER_FLOORS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record what the test and its child processes run under the name of its file."""
    measurement = coverage.Coverage.current()
    context = context_of(item.path)
    if measurement is not None and measurement.get_option("run:context") != context:
        measurement.set_option("run:context", context)
        measurement.switch_context(context)
        os.environ["COVERAGE_PROCESS_CONFIG"] = measurement.config.serialize()  # child processes read it
    return (yield)
