"""What every store promises about the life of a node."""

from __future__ import annotations

import pytest

from noughts.room.downtime import Downtime
from noughts.store.contract import Store, StoreUnavailableError
from tests.store.conftest import OpenStore
from tests.support.commits import commit, commit_all, new_room
from tests.support.statuses import STATUS


async def test_the_time_between_two_starts_is_downtime(store: Store, open_store: OpenStore) -> None:
    """From the last beat before a stop to the first after it. Every later start knows all of it."""
    assert (await store.beat(STATUS, 10)).downtimes == ()
    await store.beat(STATUS, 20)
    await store.close()
    store = await open_store()
    assert (await store.beat(STATUS, 5_000)).downtimes == (Downtime(20, 5_000),)
    assert (await store.beat(STATUS, 6_000)).downtimes == (Downtime(20, 5_000),)
    await store.close()
    store = await open_store()
    assert (await store.beat(STATUS, 9_000)).downtimes == (Downtime(20, 5_000), Downtime(6_000, 9_000))


async def test_an_outage_is_kept(store: Store, open_store: OpenStore) -> None:
    await store.beat(STATUS, 10)
    await store.add_downtime(Downtime(30, 40))
    assert (await store.beat(STATUS, 50)).downtimes == (Downtime(30, 40),)
    await store.close()
    store = await open_store()
    assert (await store.beat(STATUS, 50)).downtimes == (Downtime(30, 40),)


async def test_a_beat_tells_the_time_and_the_living_nodes(store: Store) -> None:
    pulse = await store.beat(STATUS, 10)
    assert (pulse.now_ms, pulse.nodes) == (10, (STATUS,))


async def test_a_closed_store_is_unavailable(store: Store) -> None:
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.beat(STATUS, 10)
    await store.close()  # a second time does nothing
    await store.open()
    await store.beat(STATUS, 10)


async def test_commits_are_counted(store: Store) -> None:
    before = store.commits
    await commit(store, new_room("r0"))
    await commit(store, new_room("r1"))
    assert store.commits == before + 2


async def test_changes_of_one_turn_share_a_commit(store: Store) -> None:
    before = store.commits
    await commit_all(store, [new_room(f"r{i}") for i in range(100)])
    assert store.commits == before + 1
