"""Bans in Redis beyond what every store promises."""

from __future__ import annotations

from tests.support.redis_stores import RedisNodes


async def test_a_ban_holds_on_every_node(nodes: RedisNodes) -> None:
    one, two = await nodes.node("one"), await nodes.node("two")
    await one.store.ban("203.0.113.9")
    assert list(await two.store.banned()) == ["203.0.113.9"]
    await two.store.unban("203.0.113.9")
    assert list(await one.store.banned()) == []
