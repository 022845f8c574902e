"""The scheduler of one of several nodes: rooms that no node holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from noughts.app.machines.scheduler import CLAIM_MS
from noughts.room.clock import MoveClock
from noughts.room.timers import stored_wake_at_ms
from noughts.store.contract import StoreUnavailableError
from tests.support.node import ANN, Cluster, Node
from tests.support.pauses import run_through_pauses


async def deadline_ms(cluster: Cluster, room: str) -> int:
    """Return the stored deadline of a room."""
    with closing(sqlite3.connect(cluster.store.path)) as db:
        return int(db.execute("SELECT wake_at_ms FROM rooms WHERE id=?", (room,)).fetchone()[0])


async def let_go(node: Node, room: str) -> None:
    """Let a node give up a room that has no connection."""
    for _ in range(2):
        node.registry.drop_unattended()
    assert node.registry.held(room) is None


async def test_a_room_that_a_node_holds_is_not_claimed(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    one, two = pair
    actor = await one.timed_game(MoveClock(10_000))
    one.join(actor, ANN)
    cluster.clock.ms += 10_000
    await two.scheduler.claim_due()
    await two.settle()
    assert (len(two.registry), actor.room.phase) == (0, "playing")


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
