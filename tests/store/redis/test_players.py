"""Players in Redis beyond what every store promises."""

from __future__ import annotations

from noughts.store.contract import StoredPlayer
from noughts.store.redis.players import NAMES_AT_ONCE
from tests.support.redis_stores import RedisNodes


async def test_more_names_than_one_script_takes(nodes: RedisNodes) -> None:
    store = (await nodes.node("one")).store
    last = f"p_{NAMES_AT_ONCE + 9}"
    await store.add_player(StoredPlayer(last, "Zoë", 1), b"token")
    assert await store.names([f"p_{number}" for number in range(NAMES_AT_ONCE + 10)]) == {last: "Zoë"}
