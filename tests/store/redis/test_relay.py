"""The order of messages and answers on one node. What every relay promises: ``tests/store/test_relay.py``."""

from __future__ import annotations

import asyncio

from noughts.store.machine_store import Change, Stored
from noughts.store.presence import NO_ATTENDANCE, Attendance, PresenceReport
from noughts.store.relay import Notice
from tests.support.commits import Answers, chat, commit, new_room
from tests.support.redis_stores import RedisNodes


async def test_a_message_of_another_node_comes_before_later_answers(nodes: RedisNodes) -> None:
    """The task that waits for messages acts on them before the next answer arrives."""
    one, two = await nodes.node("one"), await nodes.node("two")
    await commit(one.store, new_room())
    await one.store.hold("r1")
    log: list[int] = []

    async def listen() -> None:
        while True:
            message = await one.relay.received()
            assert isinstance(message, Change)
            assert message.line is not None
            log.append(message.line.n)

    class Receiver:
        def commit_answered(self, change: Change, answer: object) -> None:
            assert isinstance(answer, Stored)
            log.append(answer.line)

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0)
    for _ in range(60):
        one.store.submit(chat(1), Receiver())
        two.store.submit(chat(1), Answers())
        await asyncio.sleep(0)
    async with asyncio.timeout(10.0):
        while len(log) < 120:  # noqa: ASYNC110 - it shows in a value
            await asyncio.sleep(0.01)
    listener.cancel()
    assert log == list(range(1, 121))


async def test_reports_reach_the_other_holders(nodes: RedisNodes) -> None:
    """Not the sender, and nobody who does not hold the room; a report about a room that is gone reaches nobody."""
    one, two, other = await nodes.node("one"), await nodes.node("two"), await nodes.node("three")
    await commit(one.store, new_room())
    for node in (one, two):
        await node.store.hold("r1")
    report = PresenceReport("r1", "one", Attendance(1, 0, {"p_ann": "Änne"}), {"p_ben": 5}, 6)
    nodes.reporters["one"].send(report)
    nodes.reporters["one"].send(report._replace(room="gone"))
    one.relay.announce(Notice("banned", "192.0.2.1"))
    async with asyncio.timeout(10.0):
        assert await two.relay.received() == report
        assert await two.relay.received() == await other.relay.received() == Notice("banned", "192.0.2.1")
        two.store.release("r1")
        assert await one.relay.received() == PresenceReport("r1", "two", NO_ATTENDANCE, {}, 0)
