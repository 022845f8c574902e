"""The searches do exactly what they did: a change is made on purpose or not at all.

Red after a change to a search that you meant? Look at the difference, then ``make fingerprint`` and commit
``tests/engine/fingerprint.txt`` with it.
"""

from __future__ import annotations

import pytest

from tools.lab.fingerprint import FILE, fingerprint


@pytest.mark.search
def test_the_fingerprint_of_the_searches() -> None:
    assert list(fingerprint()) == FILE.read_text(encoding="utf-8").splitlines()
