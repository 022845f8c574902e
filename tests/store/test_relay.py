"""What every relay promises, seen from several nodes: who hears of a change, and in what order."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from noughts.store.backend import Backend
from noughts.store.machine_store import Change, Conflict, Due, HeldRow, Known, Stored
from noughts.store.relay import Notice, SingleNodeRelay
from tests.store.conftest import Nodes, messages_between
from tests.support.commits import LINE, answered, chat, commit, new_room, next_version


@pytest.fixture
async def three(nodes: Nodes) -> tuple[Backend, Backend, Backend]:
    return await nodes.node("one"), await nodes.node("two"), await nodes.node("three")


async def changes_between(sender: Backend, receiver: Backend) -> list[Change]:
    return [message for message in await messages_between(sender.relay, receiver.relay) if isinstance(message, Change)]


async def test_a_change_reaches_the_nodes_that_hold_its_room(three: tuple[Backend, Backend, Backend]) -> None:
    """Whole, but for what only the store needs; and never the node that made it."""
    one, two, other = three
    for room in ("r1", "r2"):
        await commit(one.store, new_room(room))
    for node in (one, two):
        assert isinstance(await node.store.hold("r1"), HeldRow)
    await other.store.hold("r2")
    ids = answered(("p_ann", "c1", 2))
    sent = next_version(2, "r1", records=((3, b"a game"),), command=("p_ann", "c1"), command_ids=ids, news=b"news")
    assert await commit(one.store, sent) == Stored(2)
    assert await changes_between(one, two) == [replace(sent, records=(), command_ids=None)]
    assert await changes_between(one, other) == []
    assert await changes_between(two, one) == []


async def test_a_chat_line_arrives_with_its_number(three: tuple[Backend, Backend, Backend]) -> None:
    one, two, _ = three
    await commit(one.store, new_room())
    await two.store.hold("r1")
    assert await commit(one.store, chat(1)) == Stored(1, 1)
    assert await commit(one.store, chat(1, command=("p_ann", "c2"), news=b"news")) == Stored(1, 2)
    expected = [chat(1, line=LINE._replace(n=1))]
    expected.append(chat(1, line=LINE._replace(n=2), command=("p_ann", "c2"), news=b"news"))
    assert await changes_between(one, two) == expected


async def test_the_end_of_a_room_arrives(three: tuple[Backend, Backend, Backend]) -> None:
    one, two, _ = three
    await commit(one.store, new_room())
    await two.store.hold("r1")
    closing = Change("r1", 1, 2, command=("p_ann", "c3"), closes=True, news=b"closed")
    assert await commit(one.store, closing) == Stored(2)
    assert await changes_between(one, two) == [closing]


async def test_what_is_not_stored_reaches_nobody(three: tuple[Backend, Backend, Backend]) -> None:
    one, two, _ = three
    ids = answered(("p_ann", "c1", 2))
    await commit(one.store, new_room())
    await commit(one.store, next_version(2, command=("p_ann", "c1"), command_ids=ids))
    await two.store.hold("r1")
    assert isinstance(await commit(one.store, next_version(2)), Conflict)
    assert await commit(one.store, next_version(2, command=("p_ann", "c1"), command_ids=ids)) == Known(2)
    assert await commit(one.store, Change("r1", 2, 2, command=("p_ann", "c2"), checks=True)) == Stored(2)
    assert await changes_between(one, two) == []


async def test_an_id_of_another_node_is_not_overwritten(three: tuple[Backend, Backend, Backend]) -> None:
    """One node does not know of the other's chat line yet, whose id is stored with the same room."""
    one, two, _ = three
    await commit(one.store, new_room())
    spoken = chat(1, command=("p_ben", "said"), command_ids=answered(("p_ben", "said", 1)))
    assert await commit(two.store, spoken) == Stored(1, 1)
    moved = next_version(2, command=("p_ann", "moved"), command_ids=answered(("p_ann", "moved", 2)))
    assert await commit(one.store, moved) == Stored(2)
    assert await commit(one.store, replace(spoken, expected=2, version=2)) == Known(1)


async def test_changes_and_notices_arrive_in_their_order(three: tuple[Backend, Backend, Backend]) -> None:
    one, two, _ = three
    await commit(one.store, new_room())
    await two.store.hold("r1")
    expected: list[object] = []
    for number in range(20):
        change, notice = next_version(number + 2), Notice("renamed", "p_ann", f"Ann {number}")
        await commit(one.store, change)
        one.relay.announce(notice)
        expected += [change, notice]
    assert await messages_between(one.relay, two.relay) == expected


async def test_a_notice_reaches_every_other_node(three: tuple[Backend, Backend, Backend]) -> None:
    one, two, other = three
    notices = [Notice("banned", "192.0.2.1"), Notice("deleted", "p_ann", "someone")]
    for notice in notices:
        one.relay.announce(notice)
    assert await messages_between(one.relay, two.relay) == notices
    assert await messages_between(two.relay, one.relay) == []
    assert (await messages_between(one.relay, other.relay))[:2] == notices


async def test_a_room_that_was_released_is_not_heard(three: tuple[Backend, Backend, Backend]) -> None:
    one, two, _ = three
    for room in ("r1", "r2"):
        await commit(one.store, new_room(room))
        await two.store.hold(room)
    await two.store.hold("r1")  # a room is held or not, however often that is said
    two.store.release("r1")
    two.store.release("unknown")
    await two.store.count()
    for room in ("r1", "r2"):
        await commit(one.store, next_version(2, room))
    assert await changes_between(one, two) == [next_version(2, "r2")]
    await two.store.hold("r1")
    await commit(one.store, next_version(3, "r1"))
    assert await changes_between(one, two) == [next_version(3, "r1")]


async def test_one_node_claims_a_room_that_is_due(three: tuple[Backend, Backend, Backend]) -> None:
    """Unless a node holds it. Until the time of the claim is over, nobody claims it again."""
    one, two, other = three
    for room in ("r1", "held"):
        await commit(one.store, new_room(room))
    await other.store.hold("held")
    now_ms = 1 << 42
    claimed = [await node.store.claim_due(now_ms, 10, 60_000) for node in (one, two)]
    assert [list(rows) for rows in claimed] == [[Due("r1", 1_000)], []]


async def test_a_single_node_receives_nothing() -> None:
    """A node never receives what it sent itself, and there is no other."""
    relay = SingleNodeRelay()
    relay.announce(Notice("banned", "203.0.113.9"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await relay.received()
