"""What every store promises about the life of a node."""

from __future__ import annotations

import pytest

from noughts.store.contract import Store, StoreUnavailableError
from tests.support.commits import commit, commit_all, new_room
from tests.support.statuses import STATUS


async def test_a_beat_tells_of_this_node(store: Store) -> None:
    assert (await store.beat(STATUS, 10)).nodes == (STATUS,)


async def test_a_closed_store_is_unavailable(store: Store) -> None:
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.beat(STATUS, 10)
    await store.close()  # a second time does nothing
    await store.open()
    await store.beat(STATUS, 10)


async def test_a_store_that_answers_is_not_lost(store: Store) -> None:
    assert (store.loss_reason(), store.slow_commit) == (None, None)
    assert store.guarantee().text
    assert store.stats.timeouts == 0


async def test_commits_are_counted(store: Store) -> None:
    before = store.commits
    await commit(store, new_room("r0"))
    await commit(store, new_room("r1"))
    assert store.commits == before + 2


async def test_changes_of_one_turn_share_a_commit(store: Store) -> None:
    before = store.commits
    await commit_all(store, [new_room(f"r{i}") for i in range(100)])
    assert store.commits == before + 1
