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


async def test_a_bot_stays_one(nodes: RedisNodes) -> None:
    store = (await nodes.node("one")).store
    bot = StoredPlayer("p_bot", "Botty", 1, bot=True)
    await store.add_player(bot, b"token")
    await store.rename("p_bot", "Bottina")
    assert await store.player_by_token(b"token") == bot._replace(name="Bottina")


async def test_a_ban_holds_on_every_node(nodes: RedisNodes) -> None:
    one, two = await nodes.node("one"), await nodes.node("two")
    await one.store.ban("203.0.113.9")
    assert list(await two.store.banned()) == ["203.0.113.9"]
    await two.store.unban("203.0.113.9")
    assert list(await one.store.banned()) == []
