"""What every store promises about the life of a node."""

from __future__ import annotations

import pytest

from noughts.store.contract import Store, StoreUnavailableError
from tests.store.conftest import OpenStore
from tests.support.commits import commit, commit_all, new_room


async def test_the_last_beat_is_the_newest(store: Store, open_store: OpenStore) -> None:
    assert await store.last_beat_ms() is None
    await store.beat(10)
    await store.beat(20)
    assert await store.last_beat_ms() == 20
    await store.close()
    assert await (await open_store()).last_beat_ms() == 20


async def test_a_store_that_can_write_answers_a_ping(store: Store) -> None:
    await store.ping()


async def test_a_closed_store_is_unavailable(store: Store) -> None:
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.ping()
    await store.close()  # a second time does nothing
    await store.open()
    await store.ping()


async def test_commits_are_counted(store: Store) -> None:
    before = store.commits
    await commit(store, new_room("r0"))
    await commit(store, new_room("r1"))
    assert store.commits == before + 2


async def test_changes_of_one_turn_share_a_commit(store: Store) -> None:
    before = store.commits
    await commit_all(store, [new_room(f"r{i}") for i in range(100)])
    assert store.commits == before + 1
