"""Redis as an archive: living nodes, and a server that is not there. tests/store/test_archive.py tests the rest."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from noughts.store.address import store_address
from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.archive import RedisArchive
from tests.support.redis_server import free_port, redis_farm


def archive(url: str) -> RedisArchive:
    address = store_address(url)
    assert not isinstance(address, Path)
    return RedisArchive(address)


async def test_a_living_node_is_seen(tmp_path: Path) -> None:
    with redis_farm(tmp_path) as farm:
        redis = farm.server()
        reader = archive(redis.url)
        await reader.open()
        redis.command("HSET", "{noughts}:nodes", "old", str(int(time.time() * 1000) - 10_000))
        assert not await reader.is_used()
        redis.command("HSET", "{noughts}:nodes", "new", str(int(time.time() * 1000)))
        assert await reader.is_used()
        redis.kill()
        with pytest.raises(StoreUnavailableError):
            await reader.is_used()
        await reader.close()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be reached"):
        await archive(f"redis://127.0.0.1:{free_port()}").open()
