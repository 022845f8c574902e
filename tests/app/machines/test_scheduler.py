"""Waking rooms at their time."""

from __future__ import annotations

import pytest

from noughts.app.machines.replies import RETRY_MS
from noughts.app.rooms.actor import RoomActor
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat, Move
from tests.support.node import ANN, Cluster, Node


async def restarted(cluster: Cluster) -> Node:
    """Return another node, which knows from the store when rooms need attention, as a server does when it starts."""
    node = Node(cluster, "two")
    await node.heartbeat.beat()
    await node.scheduler.learn_clocks()
    await node.scheduler.claim_due()
    return node


# --- waking ---------------------------------------------------------------------------------------------------------


async def test_a_flag_falls_without_anyone_asking(cluster: Cluster, node: Node) -> None:
    actor = await node.timed_game(MoveClock(10_000))
    screen = node.join(actor)
    cluster.clock.ms += 9_999
    await node.wake_rooms()
    assert screen.room["phase"] == "playing"
    cluster.clock.ms += 1
    await node.wake_rooms()
    assert screen.room["game"]["outcome"] == {"winner": "O", "reason": "timeout", "cells": []}
    assert screen.room["clock"]["X_ms"] == 0


async def test_an_engine_moves_in_a_room_that_nobody_holds(cluster: Cluster, node: Node) -> None:
    """Its player made a move just before the server was restarted."""
    actor = await node.room(opponent="engine", engines=("perfect",))
    await actor.request(ANN, Move("a", 0, "b2"))
    two = await restarted(cluster)
    cluster.clock.ms += two.policy.engine_pace_ms
    await two.wake_rooms()
    assert [search.cells for search in two.pool.searches] == [(4,)]


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
    assert two.wakes.at_ms(actor.id) == cluster.clock.ms + RETRY_MS
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
    wake = RoomActor.wake

    def failing(actor: RoomActor) -> None:
        if actor is broken:
            raise RuntimeError("a fault of ours")
        wake(actor)

    monkeypatch.setattr(RoomActor, "wake", failing)
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
