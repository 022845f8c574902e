"""What the tests of the commands share, and the fixtures of tests that need a node without its sockets."""

from __future__ import annotations

import os

import pytest

from tests.support.engine_rooms import prompt
from tests.support.node import cluster, node, pair

__all__ = ["cluster", "no_settings", "node", "pair", "prompt"]


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all settings of the server out of the environment."""
    for name in [name for name in os.environ if name.startswith("NOUGHTS_")]:
        monkeypatch.delenv(name)
