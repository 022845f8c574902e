"""Credits and locks, seen from two nodes."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.coordination import Bucket, Buckets, Coordination, Rate
from tests.store.conftest import Nodes

RATE = Rate(burst=2, per_s=4)


@pytest.fixture
async def ends(nodes: Nodes) -> list[Coordination]:
    """Return the coordination of two nodes."""
    return [(await nodes.node(name)).coordination for name in ("one", "two")]


# --- buckets ----------------------------------------------------------------------------------------------------------


def test_a_bucket_starts_full_and_fills_up_with_time() -> None:
    bucket = Bucket(RATE, 10.0)
    assert [bucket.take(10.0) for _ in range(3)] == [0, 0, 250]
    assert bucket.take(10.125) == 125
    assert bucket.take(10.25) == 0
    assert bucket.take(10.25) == 250


def test_the_wait_is_never_zero() -> None:
    """A wait of 0 would mean that the credit was taken."""
    bucket = Bucket(Rate(burst=1, per_s=1), 0.0)
    assert bucket.take(0.0) == 0
    assert bucket.take(0.999_999_9) == 1


def test_the_least_recently_used_bucket_is_evicted() -> None:
    """An evicted holder starts with full credit again."""
    buckets, once = Buckets(2), Rate(burst=1, per_s=1)
    assert [buckets.take("moves", holder, once, 0.0) for holder in ("p_ann", "p_ben")] == [0, 0]
    assert buckets.take("moves", "p_ann", once, 0.0) == 1_000
    assert buckets.take("moves", "p_cid", once, 0.0) == 0  # evicts Ben
    assert buckets.take("moves", "p_ann", once, 0.0) == 1_000
    assert buckets.take("moves", "p_ben", once, 0.0) == 0


# --- what every implementation promises -------------------------------------------------------------------------------


async def test_nodes_share_credit(ends: list[Coordination]) -> None:
    (one, two), slow = ends, Rate(burst=2, per_s=0.01)
    assert await one.take_credit("rooms", "p_ann", slow) == 0
    assert await two.take_credit("rooms", "p_ann", slow) == 0
    assert 0 < await one.take_credit("rooms", "p_ann", slow) <= 100_000
    assert await two.take_credit("rooms", "p_ben", slow) == 0


async def test_credit_that_is_given_back_can_be_used_again(ends: list[Coordination]) -> None:
    (one, two), slow = ends, Rate(burst=2, per_s=0.01)
    for _ in range(3):
        await one.give_credit("pins", "p_ann", slow)
    assert [await one.take_credit("pins", "p_ann", slow) for _ in range(2)] == [0, 0]
    assert await two.take_credit("pins", "p_ann", slow) > 0
    await two.give_credit("pins", "p_ann", slow)
    assert await one.take_credit("pins", "p_ann", slow) == 0
    assert await one.take_credit("pins", "p_ann", slow) > 0


async def test_one_task_of_all_nodes_holds_a_lock(ends: list[Coordination]) -> None:
    """The tasks of one node get it in the order in which they asked for it."""
    log: list[str] = []

    async def hold(node: Coordination, name: str) -> None:
        async with node.lock("quick play classic"):
            log.append(f"{name} begins")
            for _ in range(3):
                await asyncio.sleep(0)
            log.append(f"{name} ends")

    names = ("Ann", "Ben", "Cid", "Dan")
    await asyncio.gather(*[hold(ends[number % 2], name) for number, name in enumerate(names)])
    holders = [entry.partition(" ")[0] for entry in log[::2]]
    assert log == [f"{name} {event}" for name in holders for event in ("begins", "ends")]
    assert sorted(holders) == list(names)
    assert holders.index("Ann") < holders.index("Cid")
    assert holders.index("Ben") < holders.index("Dan")


async def test_locks_of_other_names_are_free(ends: list[Coordination]) -> None:
    one, two = ends
    async with asyncio.timeout(10.0), one.lock("quick play classic"), two.lock("quick play gomoku"):
        pass


async def test_a_lock_is_free_after_a_failure(ends: list[Coordination]) -> None:
    with pytest.raises(KeyError):
        async with ends[0].lock("quick play classic"):
            raise KeyError("a bug")
    async with asyncio.timeout(10.0), ends[1].lock("quick play classic"):
        pass
