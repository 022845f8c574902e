"""One Redis for the tests of this directory, and nodes on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.redis_server import RedisFarm, RedisServer, redis_farm
from tests.support.redis_stores import RedisNodes, prefix_of, redis_nodes


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """Return a Redis that the tests share."""
    with redis_farm(tmp_path_factory.mktemp("shared-redis")) as farm:
        yield farm.server()


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[RedisFarm]:
    """Start servers for one test."""
    with redis_farm(tmp_path / "farm") as opened:
        yield opened


@pytest.fixture
async def nodes(redis: RedisServer, tmp_path: Path) -> AsyncIterator[RedisNodes]:
    """Open nodes on the shared Redis."""
    async with redis_nodes(redis, tmp_path) as opened:
        yield opened


@pytest.fixture
def prefix(tmp_path: Path) -> str:
    """Return what all keys of this test begin with."""
    return f"{{{prefix_of(tmp_path)}}}:"
