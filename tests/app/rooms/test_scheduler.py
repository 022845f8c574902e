"""Waking rooms at their time, and going on after the store was away."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.heartbeat import Heartbeat
from noughts.app.rooms.scheduler import RETRY_MS
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Chat, Move
from tests.support.flaky_store import FlakyStore
from tests.support.node import ANN, EVE, Cluster, Node, raise_version
from tests.support.pauses import run_through_pauses
from tests.support.replies import code_of
from tests.support.searching import until
from tests.support.statuses import STATUS


async def restarted(cluster: Cluster) -> Node:
    """Return another node, which knows from the store when rooms need attention, as a server does when it starts."""
    node = Node(cluster, "two")
    await node.heartbeat.beat()
    await node.scheduler.learn_deadlines()
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


async def test_a_flag_falls_in_a_room_that_nobody_holds(cluster: Cluster, node: Node) -> None:
    room = (await node.timed_game(MoveClock(10_000))).id
    two = await restarted(cluster)
    assert len(two.registry) == 0
    cluster.clock.ms += 10_000
    await two.wake_rooms()
    actor = two.registry.held(room)
    assert actor is not None
    assert actor.room.phase == "finished"


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


async def test_a_room_of_other_bytes_is_tried_again_later(cluster: Cluster, node: Node) -> None:
    room = (await node.room()).id
    await raise_version(cluster, room, b"no room")
    two = await restarted(cluster)
    two.wakes.set(room, cluster.clock.ms)
    await two.wake_rooms()
    assert two.wakes.at_ms(room) == cluster.clock.ms + 60_000


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


# --- downtime -------------------------------------------------------------------------------------------------------


async def test_every_room_goes_on_when_the_store_is_back(cluster: Cluster, node: Node) -> None:
    """Also one that asked nothing of the store. Its clock stood still."""
    timed, other = await node.timed_game(FischerClock(600_000, 0)), await node.game()
    cluster.clock.ms += 1_000
    cluster.store.down = True
    assert await code_of(other.request(EVE, Chat("a", "hello"))) == "unavailable"
    cluster.clock.ms += 5_000
    states = []
    for down in (True, False):
        cluster.store.down = down
        await node.probe_store()
        states.append(node.downtime.on)
        cluster.clock.ms += 5_000 if down else 0
    assert states == [True, False]
    assert timed.room.version == 5  # its clock is shown as it is by now
    await timed.request(ANN, Move("b", 2, "c3"))
    assert timed.room.game is not None
    assert timed.room.game.left_ms.X == 599_000


async def test_a_store_that_is_away_is_probed_until_it_is_back(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noughts.app.rooms.scheduler.PROBE_S", 0.001)
    watching = asyncio.create_task(node.scheduler.watch_store())
    await node.settle()
    assert cluster.store.methods.count("beat") == 0  # nothing is asked of a store that answers
    cluster.store.down = True
    node.downtime.begin(cluster.clock.ms)
    await until(lambda: cluster.store.methods.count("beat") >= 3)
    cluster.store.down = False
    await until(lambda: not node.downtime.on)
    watching.cancel()


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


async def test_a_room_that_fails_after_an_outage_stops_no_other(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, timed = await node.game(), await node.timed_game(MoveClock(60_000))
    recovered = RoomActor.recovered

    def failing(actor: RoomActor) -> None:
        if actor is broken:
            raise RuntimeError("a fault of ours")
        recovered(actor)

    monkeypatch.setattr(RoomActor, "recovered", failing)
    node.downtime.begin(node.clock.ms)
    node.clock.ms += 1_000
    await node.probe_store()
    assert (node.downtime.on, timed.room.version) == (False, 5)  # its clock is shown as it is by now


async def test_an_outage_that_is_not_counted_is_not_stored(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node began to serve during the beat that ended the outage, and held no room before."""

    async def beat(heartbeat: Heartbeat) -> None:
        node.downtime.pardon()

    monkeypatch.setattr(Heartbeat, "beat", beat)
    node.downtime.begin(cluster.clock.ms)
    cluster.clock.ms += 1_000
    await node.probe_store()
    assert (node.downtime.on, node.downtime.spans) == (False, ())


async def test_a_lost_file_is_downtime_while_no_client_uses_it(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run_through_pauses(node.scheduler.watch_loss(), cluster.store, monkeypatch)
    assert not node.downtime.on
    monkeypatch.setattr(cluster.store, "trouble", lambda: "the file was deleted")
    await run_through_pauses(node.scheduler.watch_loss(), cluster.store, monkeypatch)
    assert node.downtime.on


# --- beats ----------------------------------------------------------------------------------------------------------


async def beats(cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether the node notes that it is up."""
    before = cluster.store.methods.count("beat")
    await run_through_pauses(node.scheduler.beat(), cluster.store, monkeypatch)
    return cluster.store.methods.count("beat") > before


async def last_beat_ms(cluster: Cluster) -> int:
    """Return the time of the last beat, as a restart finds it."""
    await cluster.store.close()
    again = FlakyStore(cluster.store.path)
    await again.open()
    downtimes = (await again.beat(STATUS, cluster.clock.ms + 1)).downtimes
    await again.close()
    await cluster.store.open()
    return downtimes[-1].from_ms


async def test_a_node_notes_that_it_is_up_while_a_clock_runs(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only then: an idle server writes nothing."""
    await node.game()
    await node.room(MoveClock(60_000), opponent="engines", engines=("novice", "novice"))
    assert not await beats(cluster, node, monkeypatch)
    await node.timed_game(MoveClock(60_000))
    assert await beats(cluster, node, monkeypatch)
    assert await last_beat_ms(cluster) == cluster.clock.ms


async def test_beats_go_on_after_the_store_was_away(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    await node.timed_game(MoveClock(60_000))
    cluster.store.down = True
    assert await beats(cluster, node, monkeypatch)
    cluster.store.down = False
    cluster.clock.ms += 1_000
    assert await beats(cluster, node, monkeypatch)
    assert await last_beat_ms(cluster) == cluster.clock.ms
