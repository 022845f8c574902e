"""What every store promises about subscriptions to notices, and about the secrets of the server."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.contract import MAX_SUBSCRIPTIONS, Store, StoredPlayer, Subscription
from tests.store.conftest import Contents, Nodes, OpenStore

ANN, BEN = StoredPlayer("p_ann", "Ann", 100), StoredPlayer("p_ben", "Ben", 100)


def subscription(number: int, player: str = "p_ann") -> Subscription:
    """Return the subscription of one device."""
    endpoint = f"https://push.example.org/{number}"
    return Subscription(endpoint, player, "key", "auth", "Europe/Berlin", "https://games.example.org", 1_000 + number)


@pytest.fixture
async def players(store: Store) -> Store:
    """Return a store with two guests."""
    await store.add_player(ANN, b"ann")
    await store.add_player(BEN, b"ben")
    return store


async def test_subscriptions_are_listed_newest_first(players: Store, open_store: OpenStore) -> None:
    assert await players.subscriptions("p_ann") == []
    assert await players.subscribe(subscription(1))
    assert await players.subscribe(subscription(2)._replace(zone="", failing_since_ms=7))
    expected = [subscription(2)._replace(zone="", failing_since_ms=7), subscription(1)]
    assert await players.subscriptions("p_ann") == expected
    await players.close()
    assert await (await open_store()).subscriptions("p_ann") == expected


async def test_the_oldest_of_too_many_subscriptions_is_deleted(players: Store) -> None:
    for number in range(MAX_SUBSCRIPTIONS + 2):
        await players.subscribe(subscription(number))
    kept = [subscription(number) for number in reversed(range(2, MAX_SUBSCRIPTIONS + 2))]
    assert await players.subscriptions("p_ann") == kept


async def test_an_endpoint_moves_to_the_player_who_subscribes_last(players: Store) -> None:
    await players.subscribe(subscription(1))
    await players.subscribe(subscription(1, "p_ben"))
    assert await players.subscriptions("p_ann") == []
    assert await players.subscriptions("p_ben") == [subscription(1, "p_ben")]


async def test_only_its_own_player_deletes_a_subscription(players: Store) -> None:
    await players.subscribe(subscription(1))
    await players.unsubscribe(subscription(1).endpoint, "p_ben")
    await players.unsubscribe("https://push.example.org/unknown", "p_ann")
    assert len(await players.subscriptions("p_ann")) == 1
    await players.unsubscribe(subscription(1).endpoint, "p_ann")
    assert await players.subscriptions("p_ann") == []


async def test_failures_are_noted(players: Store) -> None:
    await players.subscribe(subscription(1))
    endpoint = subscription(1).endpoint
    for since_ms in (5_000, 0):
        await players.note_failure(endpoint, since_ms)
        assert await players.subscriptions("p_ann") == [subscription(1)._replace(failing_since_ms=since_ms)]
    await players.note_failure("https://push.example.org/unknown", 5_000)
    assert len(await players.subscriptions("p_ann")) == 1


async def test_a_deleted_guest_keeps_no_subscription(players: Store, contents: Contents) -> None:
    await players.subscribe(subscription(1))
    await players.delete_player("p_ann")
    assert not await players.subscribe(subscription(2)), "the guest is gone"
    assert "push.example.org" not in repr(await contents())


async def test_an_unseen_guest_keeps_no_subscription(players: Store, contents: Contents) -> None:
    await players.subscribe(subscription(1))
    assert await players.delete_unseen(1_000, await players.unseen(1_000, 100)) == 2
    assert "push.example.org" not in repr(await contents())


async def test_all_nodes_get_the_secret_that_was_stored_first(nodes: Nodes) -> None:
    stores = [(await nodes.node(name)).store for name in ("n1", "n2")]
    candidates = [bytes([number]) * 32 for number in range(8)]
    answers = await asyncio.gather(*(stores[n % 2].secret("push", candidates[n]) for n in range(8)))
    assert len(set(answers)) == 1
    assert answers[0] in candidates
    assert await stores[0].secret("another", b"\0\xff") == b"\0\xff"


async def test_a_secret_stays(store: Store, open_store: OpenStore) -> None:
    assert await store.secret("push", b"\0first\xff") == b"\0first\xff"
    await store.close()
    assert await (await open_store()).secret("push", b"second") == b"\0first\xff"
