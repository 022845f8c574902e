"""The backend of one node of several."""

from __future__ import annotations

from pathlib import Path

from tests.support.redis_server import RedisServer
from tests.support.redis_stores import new_backend


async def test_all_parts_share_one_connection(redis: RedisServer, tmp_path: Path) -> None:
    """So answers and messages of other nodes keep their order."""
    before = len(redis.command("CLIENT", "LIST").splitlines())
    backend = new_backend(redis, tmp_path)
    await backend.store.open()
    async with backend.coordination.lock("x"):
        assert len(redis.command("CLIENT", "LIST").splitlines()) == before + 1
    assert backend.presence.shared
    assert backend.store.shared
    await backend.store.close()
