"""The roll call: every node names the players who are connected to it."""

from __future__ import annotations

import asyncio

import msgspec

from noughts.app.node.roll_call import Guest, RollCall, Roster
from noughts.app.runtime.limits import Bite, Bites
from noughts.store.relay import Notice, Relay
from tests.support.node import Node


def roll_call(node: Node, bites: Bites) -> RollCall:
    return RollCall(node.mirror.node, node.hub, node.names, node.relay, node.heartbeat, bites)


async def hear(link: Relay, call: RollCall) -> None:
    """Act on the next message as the notice board does."""
    while True:
        message = await link.received()
        if isinstance(message, Notice):
            call.receive(message)


async def test_every_node_answers(pair: tuple[Node, Node]) -> None:
    one, two = pair
    for node in (one, two, one):
        await node.heartbeat.beat()
    own, bites = Bites(), Bites()
    for counts, holder in ((own, "203.0.113.8"), (bites, "203.0.113.9"), (bites, "203.0.113.9")):
        counts.note("messages", holder)
    here, there = roll_call(one, own), roll_call(two, bites)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(hear(node.relay, call)) for node, call in ((one, here), (two, there))]
        roster = await here.ask()
        for task in tasks:
            task.cancel()
    assert roster == Roster((), (Bite("messages", 3, "203.0.113.9"),))


async def test_an_answer_to_no_call_is_dropped(node: Node) -> None:
    call = roll_call(node, Bites())
    guest = Guest("p_ann", False, "203.0.113.9", "two", 3)
    call.receive(Notice("roster", "unknown", msgspec.json.encode(Roster((guest,))).decode()))
    assert await call.ask() == Roster()
