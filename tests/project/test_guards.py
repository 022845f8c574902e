"""tests/guards.py: each guard is in the program, and its tests exist. tests/support/removal.py removes what it says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.guards import GUARDS, Guard
from tests.support.removal import Removal, always, drop, gives, node_of, skip, swap

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


PROGRAM = "class A:\n\n    def f(self, n):\n        if n > 3:\n            n = 3\n        print(n)\n        return n"


@pytest.mark.parametrize(
    ("removal", "change"),
    [
        (skip("n > 3"), ("n > 3", "False")),
        (always("n > 3"), ("n > 3", "True")),
        (drop("print"), ("print(n)", "pass")),
        (swap("n>3", "n > 4"), ("n > 3", "n > 4")),
    ],
)
def test_a_removal_changes_what_it_names(removal: Removal, change: tuple[str, str]) -> None:
    tree = ast.parse(PROGRAM)
    removal(tree, node_of(tree, "A.f"))
    assert ast.unparse(ast.fix_missing_locations(tree)) == PROGRAM.replace(*change)


def test_a_function_can_return_a_value_at_once() -> None:
    tree = ast.parse(PROGRAM)
    gives("0")(tree, node_of(tree, "A.f"))
    assert ast.unparse(ast.fix_missing_locations(tree)) == "class A:\n\n    def f(self, n):\n        return 0"


@pytest.mark.parametrize("removal", [skip("m"), drop("raise"), swap("m", "n")])
def test_a_missing_guard_raises(removal: Removal) -> None:
    tree = ast.parse(PROGRAM)
    with pytest.raises(LookupError):
        removal(tree, node_of(tree, "A.f"))


def test_a_missing_function_raises() -> None:
    with pytest.raises(LookupError):
        node_of(ast.parse(PROGRAM), "A.g")
