"""The rooms that a node holds: one actor for each id, the least recently used let go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from noughts.app.machines.registry import SETTLE_S
from noughts.errors import Rejection
from noughts.room.commands import Chat, Close
from tests.support.node import ANN, BEN, Cluster, Node, raise_version
from tests.support.player import WAIT_S
from tests.support.replies import code_of, submit


@pytest.fixture
async def few(cluster: Cluster) -> AsyncIterator[Node]:
    """Wire a node that holds twenty rooms, and looks for two to let go."""
    node = Node(cluster, most_actors=20)
    yield node
    await node.hub.stop()


# --- finding --------------------------------------------------------------------------------------------------------


async def test_a_room_has_one_actor(cluster: Cluster, node: Node) -> None:
    """Also for callers who ask for it while it is being read."""
    room = (await Node(cluster, "two").room()).id
    assert node.registry.held(room) is None
    cluster.store.methods.clear()
    actors = await asyncio.gather(*[node.registry.open(room) for _ in range(5)])
    assert len(set(map(id, actors))) == 1
    assert await node.registry.open(room) is node.registry.held(room) is actors[0]
    assert (len(node.registry), list(node.registry)) == (1, [actors[0]])
    assert cluster.store.methods.count("load") == 1


async def test_a_room_that_cannot_be_read_is_unavailable(cluster: Cluster, node: Node) -> None:
    """It is downtime, from when the room was asked for."""
    room = (await Node(cluster, "two").room()).id
    gate = cluster.store.block("load")
    reading = asyncio.create_task(node.registry.open(room))
    await node.settle()
    began_ms = cluster.clock.ms
    cluster.clock.ms += 700
    cluster.store.down = True
    gate.set()
    with pytest.raises(Rejection) as caught:
        await reading
    assert (caught.value.code, caught.value.retry_ms) == ("unavailable", 1_000)
    assert node.downtime.on
    cluster.store.down = False
    await node.probe_store()
    assert node.downtime.spans[-1] == (began_ms, cluster.clock.ms)
    assert (await node.registry.open(room)).id == room


async def test_a_caller_who_goes_away_takes_the_room_from_nobody(cluster: Cluster, node: Node) -> None:
    room = (await Node(cluster, "two").room()).id
    gate = cluster.store.block("load")
    leaves, stays = (asyncio.create_task(node.registry.open(room)) for _ in range(2))
    await node.settle()
    leaves.cancel()
    await asyncio.wait([leaves])
    gate.set()
    assert (await stays).id == room


# --- making ---------------------------------------------------------------------------------------------------------


async def test_a_room_that_cannot_be_read_is_removed(cluster: Cluster, node: Node) -> None:
    """Its deadline goes with it."""
    room = (await Node(cluster, "two").room(opponent="anyone")).id
    await raise_version(cluster, room, b"no room")
    node.wakes.set(room, cluster.clock.ms)
    await node.registry.remove(room)
    assert node.wakes.at_ms.get(room) is None
    assert await code_of(node.registry.remove(room)) == "unknown_room"


# --- letting go -----------------------------------------------------------------------------------------------------


async def test_the_least_recently_used_rooms_are_let_go(few: Node) -> None:
    actors = [await few.room() for _ in range(20)]
    assert await few.registry.open(actors[0].id) is actors[0]
    await few.room()
    assert [few.registry.held(actor.id) is None for actor in actors[:4]] == [False, True, True, False]
    again = await few.registry.open(actors[1].id)
    assert again is not actors[1]
    assert again.room == actors[1].room


async def test_a_room_in_use_is_not_let_go(cluster: Cluster, few: Node) -> None:
    """Not while somebody is connected, nor while a commit is under way."""
    elsewhere = await Node(cluster, "two").room()
    actors = [await few.room() for _ in range(20)]
    few.join(actors[0], ANN)
    cluster.store.hold_commits()
    answer = submit(actors[1], ANN, Chat("a", "hello"))
    await few.registry.open(elsewhere.id)
    assert len(few.registry) == 21
    assert [few.registry.held(actor.id) for actor in actors[:2]] == actors[:2]
    cluster.store.release_commits()
    await few.settle()
    assert answer.version == 1


async def test_a_room_that_was_let_go_is_not_watched(cluster: Cluster, few: Node) -> None:
    actors = [await few.room() for _ in range(21)]
    assert few.registry.held(actors[0].id) is None
    cluster.clock.ms += 5_000
    away = [few.mirror.presence(actor.id, ("p_ann",), cluster.clock.ms).away for actor in (actors[0], actors[20])]
    assert away == [{"p_ann": cluster.clock.ms}, {"p_ann": cluster.clock.ms - 5_000}]


async def test_a_closed_room_is_let_go_with_its_last_connection(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    pages = [node.join(actor, ANN), node.join(actor, BEN)]
    await actor.request(ANN, Close("a"))
    assert node.registry.held(actor.id) is None
    assert await code_of(node.registry.open(actor.id)) == "unknown_room"
    for screen in pages:
        node.leave(actor, screen)
    assert len(node.registry) == 0
    assert not node.mirror.players()


async def test_a_connection_that_leaves_keeps_the_room_of_an_only_node(node: Node) -> None:
    """The node knows its newest version."""
    actor = await node.game()
    node.leave(actor, node.join(actor, ANN))
    for _ in range(3):
        node.registry.drop_unattended()
    assert node.registry.held(actor.id) is actor


async def test_a_stop_waits_for_the_answers_of_the_store(cluster: Cluster, node: Node) -> None:
    """At most as long as it is allowed to."""
    actor = await node.game()
    cluster.store.hold_commits()
    answer = submit(actor, ANN, Chat("a", "hello"))
    await node.registry.settled(2 * SETTLE_S)
    assert answer.version is None
    waiting = asyncio.create_task(node.registry.settled(WAIT_S))
    await node.settle()
    assert not waiting.done()
    cluster.store.release_commits()
    await waiting
    assert answer.version == 2
