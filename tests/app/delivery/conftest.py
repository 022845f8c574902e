"""The server of these tests runs in their own process, so that their coverage can be measured."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.local_server import LocalServer, local_server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalServer]:
    """Return one server for all tests that do not stop it. The engine has no pace and there are no limits."""
    async with local_server(tmp_path_factory.mktemp("local-server")) as running:
        yield running
