"""SECURITY.md: each defence names tests, and each of these tests exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TEXT = (ROOT / "SECURITY.md").read_text()
DEFENCES = [row for row in TEXT.splitlines() if row.startswith("| ") and not row.startswith("| must not")]


def test_the_named_tests_exist() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    tests = set(re.findall(r"^\s*(?:async )?def (test_\w+)\(", source, re.MULTILINE))
    assert set(re.findall(r"`(test_\w+)`", TEXT)) - tests == set()


@pytest.mark.parametrize("row", DEFENCES, ids=[row.split("|")[1].strip() for row in DEFENCES])
def test_each_defence_names_a_test(row: str) -> None:
    assert "`test_" in row
