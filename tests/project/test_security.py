"""SECURITY.md: each defence names tests, and each of these tests exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TEXT = (ROOT / "SECURITY.md").read_text()
NAMES = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)
DEFENCES = [row for row in TEXT.splitlines() if row.startswith("| ") and not row.startswith("| must not")]


@pytest.mark.parametrize(("path", "name"), NAMES, ids=[name for _, name in NAMES])
def test_a_named_test_exists(path: str, name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", DEFENCES, ids=[row.split("|")[1].strip() for row in DEFENCES])
def test_each_defence_names_a_test(row: str) -> None:
    assert row.count("::") >= 1
