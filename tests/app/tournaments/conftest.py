"""A server of its own for each module of tests, on which the next round begins soon."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from noughts.tournament import timers
from tests.support.local_server import LocalServer, local_server


@pytest.fixture(autouse=True)
def quick_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pause after a round."""
    monkeypatch.setattr(timers, "ROUND_MS", 100)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServer]:
    async with local_server(tmp_path_factory.mktemp("tournaments")) as opened:
        yield opened
