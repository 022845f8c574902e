"""SECURITY.md: each defence has tests, and each of these tests exists."""

from __future__ import annotations

import re

import pytest

from tests.project.reading import ROOT, quoted, rows, text_of

CLAIMS, TESTS = text_of("SECURITY.md").split("\n## Tests of each defence\n")
DEFENCES = [row[0] for row in rows(CLAIMS)]
TESTED = {row[0]: quoted(row[1]) for row in rows(TESTS)}


def test_the_named_tests_exist() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    tests = set(re.findall(r"^\s*(?:async )?def (test_\w+)\(", source, re.MULTILINE))
    assert {name for names in TESTED.values() for name in names} - tests == set()


@pytest.mark.parametrize("defence", DEFENCES)
def test_each_defence_names_a_test(defence: str) -> None:
    assert TESTED[defence]


def test_every_tested_defence_is_claimed() -> None:
    assert set(TESTED) == set(DEFENCES)
