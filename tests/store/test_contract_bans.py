"""What every store promises about bans."""

from __future__ import annotations

from noughts.store.contract import Store
from tests.store.conftest import OpenStore


async def test_an_address_is_banned_until_it_is_unbanned(store: Store) -> None:
    await store.ban("203.0.113.9")
    await store.ban("203.0.113.9")
    await store.ban("2001:db8::9")
    assert sorted(await store.banned()) == ["2001:db8::9", "203.0.113.9"]
    await store.unban("203.0.113.9")
    await store.unban("198.51.100.1")
    assert list(await store.banned()) == ["2001:db8::9"]


async def test_bans_are_there_after_a_restart(store: Store, open_store: OpenStore) -> None:
    await store.ban("203.0.113.9")
    await store.close()
    assert list(await (await open_store()).banned()) == ["203.0.113.9"]
