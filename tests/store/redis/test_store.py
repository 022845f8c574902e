"""The Redis store as one object."""

from __future__ import annotations

from noughts.store.contract import Store
from noughts.store.redis.store import RedisStore
from tests.support.redis_stores import RedisNodes


async def test_it_is_a_whole_store_that_nodes_share(nodes: RedisNodes) -> None:
    store: Store = (await nodes.node("one")).store
    assert isinstance(store, RedisStore)
    assert store.shared
    before = store.stats.batches
    assert await store.count() == await store.player_count() == 0
    assert store.commits == store.stats.batches == before + 2
