"""Nodes on a real Redis, in processes of their own, for the tests of this directory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.support.node_processes import Nodes, faked_time, node_processes
from tests.support.redis_server import RedisFarm, redis_farm
from tests.support.tcp_proxy import tcp_proxy


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisFarm]:
    """Start servers for the tests of one module."""
    with redis_farm(tmp_path_factory.mktemp("redis")) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nodes(
    request: pytest.FixtureRequest, farm: RedisFarm, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Nodes]:
    """Start two nodes on one Redis, with the ``SETTINGS`` of the module. The second reaches Redis through a proxy.

    The machine of the second is an hour ahead, which must make no difference.
    """
    settings = getattr(request.module, "SETTINGS", {})
    redis = farm.server()
    directory, prefixes = tmp_path_factory.mktemp("nodes"), {1: faked_time("+1h")}
    async with (
        tcp_proxy(redis.port) as proxy,
        node_processes(directory, [redis.url, proxy.url], settings, prefixes) as (one, two),
    ):
        yield Nodes(redis, one, two, proxy)
