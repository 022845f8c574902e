"""What the tests of the commands share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all settings of the server out of the environment."""
    for name in [name for name in os.environ if name.startswith("NOUGHTS_")]:
        monkeypatch.delenv(name)
