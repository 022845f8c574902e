"""A server of its own for each module of tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.local_server import LocalServer, local_server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServer]:
    async with local_server(tmp_path_factory.mktemp("tournaments")) as opened:
        yield opened
