"""The messages that a node has yet to act on."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.redis.change_feed import ChangeFeed, notice_message
from noughts.store.relay import NodeDied, Notice, Reconnected

BANNED = Notice("banned", "192.0.2.1")


async def test_messages_wait_in_their_order() -> None:
    feed = ChangeFeed("one")
    feed.pushed(b"all", notice_message("two", BANNED))
    feed.pushed(b"all", b"d500 two")
    feed.reconnected()
    assert not feed.acting  # no task waits
    assert [await feed.received() for _ in range(3)] == [BANNED, NodeDied("two", 500), Reconnected()]


async def test_the_task_that_waits_acts_until_it_has_run() -> None:
    feed = ChangeFeed("one")
    waiting = asyncio.create_task(feed.received())
    await asyncio.sleep(0)
    acting = [feed.acting]
    for payload in (b"d500 two", b"d501 three"):
        feed.pushed(b"all", payload)
        acting.append(feed.acting)
    assert await waiting == NodeDied("two", 500)
    assert await feed.received() == NodeDied("three", 501)
    assert [*acting, feed.acting] == [False, True, True, False]


async def test_a_task_that_stops_waiting_loses_nothing() -> None:
    feed = ChangeFeed("one")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await feed.received()
    feed.pushed(b"all", b"d500 two")
    assert await feed.received() == NodeDied("two", 500)


async def test_its_own_and_unknown_messages_are_dropped() -> None:
    """A newer release may send messages that this one does not know."""
    feed = ChangeFeed("one")
    for payload in (notice_message("one", BANNED), b"d500 one", b"?new", b""):
        feed.pushed(b"all", payload)
    feed.reconnected()
    assert await feed.received() == Reconnected()


async def test_too_many_messages_become_a_new_beginning() -> None:
    feed = ChangeFeed("one", max_messages=3)
    for at_ms in range(4):
        feed.pushed(b"all", f"d{at_ms} two".encode())
    assert await feed.received() == Reconnected()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await feed.received()
