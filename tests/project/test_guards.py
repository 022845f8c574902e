"""tests/guards.py: each guard is in the program, and its tests exist."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.guards import GUARDS
from tests.support.guard import Guard

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("guard", GUARDS, ids=[guard.sentence for guard in GUARDS])
def test_a_guard_can_be_removed_and_its_tests_exist(guard: Guard) -> None:
    text = (ROOT / "server" / guard.file).read_text()
    without = guard.removed_from(text)
    if guard.removal is not None:
        compile(without, guard.file, "exec")
        assert without != ast.unparse(ast.parse(text))
    assert [test for test in guard.tests if not (ROOT / test).is_file()] == []


def test_no_guard_is_listed_twice() -> None:
    assert len({guard.sentence for guard in GUARDS}) == len(GUARDS)
