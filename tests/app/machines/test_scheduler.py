"""Waking rooms at their time."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from noughts.app.machines.replies import RETRY_MS
from noughts.app.machines.scheduler import CLAIM_MS
from noughts.app.rooms.on_node import RoomOnNode
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat
from noughts.room.timers import stored_wake_at_ms
from noughts.store.contract import StoreUnavailableError
from tests.support.node import ANN, Cluster, Node
from tests.support.pauses import run_through_pauses


async def restarted(cluster: Cluster) -> Node:
    """Return another node, which knows from the store when rooms need attention, as a server does when it starts."""
    node = Node(cluster, "two")
    await node.heartbeat.beat()
    await node.scheduler.learn_clocks()
    await node.scheduler.claim_due()
    return node


# --- waking ---------------------------------------------------------------------------------------------------------


async def test_a_room_that_is_gone_is_not_asked_for_again(cluster: Cluster, node: Node) -> None:
    node.wakes.set("nowhere", cluster.clock.ms)
    await node.wake_rooms()
    assert (len(node.wakes), len(node.registry)) == (0, 0)


@pytest.mark.parametrize("failing", ["load", "names"])
async def test_a_room_that_cannot_be_read_is_tried_again(cluster: Cluster, node: Node, failing: str) -> None:
    actor = await node.timed_game(MoveClock(10_000))
    await actor.request(ANN, Chat("a", "hello"))
    two = await restarted(cluster)
    cluster.clock.ms += 10_000
    cluster.store.failing.add(failing)
    await two.wake_rooms()
    assert two.wakes.at_ms.get(actor.id) == cluster.clock.ms + RETRY_MS
    assert len(two.registry) == 0


async def test_one_room_that_fails_stops_no_other(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = await node.timed_game(MoveClock(10_000))
    two = await restarted(cluster)
    load = cluster.store.load

    async def failing(room: str) -> object:
        if room == "broken":
            raise RuntimeError("a fault of ours")
        return await load(room)

    monkeypatch.setattr(cluster.store, "load", failing)
    two.wakes.set("broken", cluster.clock.ms)
    cluster.clock.ms += 10_000
    await two.wake_rooms()
    actor = two.registry.held(timed.id)
    assert actor is not None
    assert actor.room.phase == "finished"


async def test_a_held_room_that_fails_stops_no_other(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, timed = await node.timed_game(MoveClock(5_000)), await node.timed_game(MoveClock(10_000))
    wake = RoomOnNode.wake

    def failing(actor: RoomOnNode) -> None:
        if actor is broken:
            raise RuntimeError("a fault of ours")
        wake(actor)

    monkeypatch.setattr(RoomOnNode, "wake", failing)
    node.clock.ms += 10_000
    await node.wake_rooms()
    assert timed.room.phase == "finished"


# --- after a restart ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failing", [None, "load", "submit", "names"])
async def test_an_hour_of_downtime_flags_nobody(cluster: Cluster, node: Node, failing: str | None) -> None:
    """Even if the store fails again just as the server starts; and the clock does run then."""
    actor = await node.timed_game(MoveClock(60_000))
    await actor.request(ANN, Chat("a", "hello"))
    stopped_ms = cluster.clock.ms
    cluster.clock.ms += 3_600_000
    two = await restarted(cluster)
    two.downtime.add(stopped_ms, cluster.clock.ms)
    if failing is not None:
        cluster.store.failing.add(failing)
        await two.wake_rooms()
        cluster.store.failing.clear()
    await two.probe_store()
    cluster.clock.ms += 1_000
    game = await two.registry.open(actor.id)
    game.wake()
    await two.settle()
    assert game.room.playing
    cluster.clock.ms += 57_000
    await two.wake_rooms()
    assert game.room.playing
    cluster.clock.ms += 5_000
    await two.wake_rooms()
    assert game.room.game is not None
    assert game.room.game.outcome is not None
    assert game.room.game.outcome.reason == "timeout"


# --- several nodes --------------------------------------------------------------------------------------------------


async def deadline_ms(cluster: Cluster, room: str) -> int:
    """Return the stored deadline of a room."""
    with closing(sqlite3.connect(cluster.store.path)) as db:
        return int(db.execute("SELECT wake_at_ms FROM rooms WHERE id=?", (room,)).fetchone()[0])


async def let_go(node: Node, room: str) -> None:
    """Let a node give up a room that has no connection."""
    for _ in range(2):
        node.registry.drop_unattended()
    assert node.registry.held(room) is None


async def test_a_claimed_room_that_is_not_due_keeps_its_own_deadline(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stored one was too early. It is set right, unless the store fails: then the room is claimed again."""
    one, two = pair
    actor = await one.game()
    await let_go(one, actor.id)
    await cluster.store.postpone(actor.id, cluster.clock.ms)

    async def failing(room: str, at_ms: int) -> None:
        raise StoreUnavailableError("out of order")

    with monkeypatch.context() as patch:
        patch.setattr(cluster.store, "postpone", failing)
        await two.scheduler.claim_due()
        await two.settle()
    claimed_ms = await deadline_ms(cluster, actor.id)
    await let_go(two, actor.id)
    cluster.clock.ms += CLAIM_MS
    await two.scheduler.claim_due()
    await two.settle()
    assert claimed_ms == cluster.clock.ms
    assert cluster.clock.ms < await deadline_ms(cluster, actor.id) <= stored_wake_at_ms(actor.room, two.policy)


async def test_deadlines_are_polled(cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch) -> None:
    """But not while the store is away. A poll that fails is followed by the next."""
    one, two = pair
    room = (await one.timed_game(MoveClock(10_000))).id
    await let_go(one, room)
    cluster.clock.ms += 10_000
    two.downtime.begin(cluster.clock.ms)
    await run_through_pauses(two.scheduler.poll_deadlines(), cluster.store, monkeypatch)
    two.downtime.discard()
    two.link.cut = True
    await run_through_pauses(two.scheduler.poll_deadlines(), cluster.store, monkeypatch)
    assert len(two.registry) == 0
    two.link.cut = False
    await run_through_pauses(two.scheduler.poll_deadlines(), cluster.store, monkeypatch)
    await two.settle()
    assert [actor.room.phase for actor in two.registry] == ["finished"]
