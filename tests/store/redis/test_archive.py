"""Redis as an archive: living nodes, and a server that is not there. tests/store/test_archive.py tests the rest."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from noughts.store.address import store_address
from noughts.store.contract import StoreUnavailableError
from noughts.store.redis.archive import RedisArchive
from tests.support.ports import free_port
from tests.support.redis_server import redis_farm


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
        for _ in range(2):
            with pytest.raises(StoreUnavailableError):
                await reader.is_used()
        await reader.close()


async def test_two_addresses_of_one_redis_are_one_store(tmp_path: Path) -> None:
    """A copy from one to the other would begin with deleting everything."""
    with redis_farm(tmp_path) as farm:
        primary = farm.server()
        urls = [primary.url, f"redis://localhost:{primary.port}/0", f"{primary.url}/1"]
        archives = [archive(url) for url in urls]
        for each in archives:
            await each.open()
        here, same, elsewhere = [await each.identity() for each in archives]
        assert here == same != elsewhere
        for each in archives:
            await each.close()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be reached"):
        await archive(f"redis://127.0.0.1:{free_port()}").open()


async def test_everything_is_deleted_before_a_copy(tmp_path: Path) -> None:
    """Also more keys than Redis lists at a time, but nothing of another installation."""
    with redis_farm(tmp_path) as farm:
        redis = farm.server(appendonly="no")
        fill = "for number = 1, 2000 do redis.call('SET', ARGV[1] .. number, 1) end"
        for prefix in ("{noughts}:room:", "{another}:room:"):
            redis.command("EVAL", fill, 0, prefix)
        target = archive(redis.url)
        await target.open()
        await target.begin()
        assert redis.keys("{noughts}:*") == ["{noughts}:schema"]
        assert len(redis.keys("{another}:*")) == 2_000
        await target.close()
