"""The messages that a node has yet to act on."""

from __future__ import annotations

import asyncio

import pytest

from noughts.store.contract import Change
from noughts.store.presence import Attendance, PresenceReport
from noughts.store.redis import inbox as module
from noughts.store.redis.encoding import presence_message
from noughts.store.redis.inbox import Inbox, notice_message
from noughts.store.relay import NodeDied, Notice, Reconnected

BANNED = Notice("banned", "192.0.2.1")


async def test_messages_wait_in_their_order() -> None:
    inbox = Inbox("one")
    inbox.pushed(b"all", notice_message("two", BANNED))
    inbox.pushed(b"all", b"d500 two")
    inbox.reconnected()
    assert not inbox.acting  # no task waits
    assert [await inbox.received() for _ in range(3)] == [BANNED, NodeDied("two", 500), Reconnected()]


async def test_changes_and_presence_are_messages_too() -> None:
    inbox = Inbox("one")
    report = PresenceReport("r1", "two", Attendance(2, 1, {"p_ann": "Ann"}), {}, 6)
    inbox.pushed(b"in:one", b"c4 5 0 0 2 -1 -1 -1 -1 4\nr1news")
    inbox.pushed(b"in:one", presence_message(report))
    assert await inbox.received() == Change("r1", 4, 5, news=b"news")
    assert await inbox.received() == report


async def test_the_task_that_waits_acts_until_it_has_run() -> None:
    inbox = Inbox("one")
    waiting = asyncio.create_task(inbox.received())
    await asyncio.sleep(0)
    acting = [inbox.acting]
    for payload in (b"d500 two", b"d501 three"):
        inbox.pushed(b"all", payload)
        acting.append(inbox.acting)
    assert await waiting == NodeDied("two", 500)
    assert await inbox.received() == NodeDied("three", 501)
    assert [*acting, inbox.acting] == [False, True, True, False]


async def test_a_task_that_stops_waiting_loses_nothing() -> None:
    inbox = Inbox("one")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await inbox.received()
    inbox.pushed(b"all", b"d500 two")
    assert await inbox.received() == NodeDied("two", 500)


async def test_its_own_and_unknown_messages_are_dropped() -> None:
    """A newer release may send messages that this one does not know."""
    inbox = Inbox("one")
    for payload in (notice_message("one", BANNED), b"d500 one", b"?new", b""):
        inbox.pushed(b"all", payload)
    inbox.reconnected()
    assert await inbox.received() == Reconnected()


async def test_too_many_messages_become_a_new_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MESSAGES", 3)
    inbox = Inbox("one")
    for at_ms in range(4):
        inbox.pushed(b"all", f"d{at_ms} two".encode())
    assert await inbox.received() == Reconnected()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await inbox.received()
