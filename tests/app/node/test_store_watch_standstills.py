"""Standstills of the event loop and of the store: noticed, given back, logged and counted."""

from __future__ import annotations

import asyncio

import pytest
import structlog

from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.runtime.downtime import TICK_MS
from noughts.room.clock import FischerClock
from noughts.room.commands import Move
from noughts.room.downtime import Downtime
from noughts.store.contract import SLOW_COMMIT_S, SlowCommit
from tests.support.flaky_store import FlakyStore
from tests.support.node import ANN, BEN, Cluster, Node, game_of
from tests.support.statuses import STATUS


def left_ms(actor: RoomOnNode) -> int:
    return game_of(actor).left_ms.X


async def test_a_stopped_process_is_given_back(cluster: Cluster, node: Node) -> None:
    """Each room on a clock shows it at once; the next move is not charged for it."""
    timed, untimed = await node.timed_game(FischerClock(60_000, 0)), await node.game()
    versions = timed.room.version, untimed.room.version
    node.store_watch.look()
    cluster.clock.ms += 12_000
    with structlog.testing.capture_logs() as lines:
        node.store_watch.look()
    await node.settle()
    assert [line["seconds"] for line in lines] == [12.0]
    assert (node.downtime.standstills, node.downtime.standstill_s) == (1, 12.0)
    assert (timed.room.version, untimed.room.version) == (versions[0] + 1, versions[1])
    cluster.clock.ms += 1_000
    node.store_watch.look()
    await timed.request(ANN, Move("b", 2, "c3"))
    assert left_ms(timed) == 59_000
    assert node.downtime.standstills == 1


async def test_a_step_before_the_watch_gives_the_time_back(cluster: Cluster, node: Node) -> None:
    """After a stop, the player's move may be read first. The watch then logs and counts."""
    actor = await node.timed_game(FischerClock(10_000, 0))
    node.store_watch.look()
    cluster.clock.ms += 30_000
    await actor.request(ANN, Move("b", 2, "c3"))
    assert left_ms(actor) == 10_000
    node.store_watch.look()
    assert (node.downtime.standstills, node.downtime.standstill_s) == (1, 30.0)


async def test_an_absence_leaves_a_standstill_out(cluster: Cluster, node: Node) -> None:
    """A player could not come back meanwhile, so no claim becomes possible by it."""
    actor = await node.game()
    node.join(actor, ANN)
    node.leave(actor, node.join(actor, BEN))
    node.store_watch.look()
    cluster.clock.ms += node.policy.grace_ms
    actor.wake()
    await node.settle()
    assert not actor.room.claimable
    assert node.wakes.at_ms.get(actor.id) == cluster.clock.ms + node.policy.grace_ms
    for _ in range(node.policy.grace_ms // TICK_MS):
        cluster.clock.ms += TICK_MS
        node.store_watch.look()
    actor.wake()
    await node.settle()
    assert actor.room.claimable == ("O",)


async def test_a_standstill_is_stored(cluster: Cluster, node: Node) -> None:
    """After a restart, a room that was not changed since is compensated too."""
    await node.heartbeat.beat()
    node.store_watch.look()
    span = Downtime(cluster.clock.ms, cluster.clock.ms + 12_000)
    cluster.clock.ms += 12_000
    node.store_watch.look()
    await node.settle()
    await node.heartbeat.beat()  # so that the time without a beat is another one
    cluster.clock.ms += 1_000
    await cluster.store.close()
    again = FlakyStore(cluster.store.path)
    await again.open()
    downtimes = (await again.beat(STATUS, cluster.clock.ms)).downtimes
    await again.close()
    await cluster.store.open()
    assert span in downtimes


async def test_a_flush_that_hangs_is_given_back(cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it lasts, a player who thinks is charged nothing and not flagged. It is logged twice, and counted once."""
    actor = await node.timed_game(FischerClock(10_000, 0))
    began_ms, began_s = cluster.clock.ms, cluster.clock.now_s()
    commit: list[SlowCommit | None] = [None]
    monkeypatch.setattr(type(cluster.store), "slow_commit", property(lambda store: commit[0]))
    with structlog.testing.capture_logs() as lines:
        for passed_ms in range(TICK_MS, 12_001, TICK_MS):
            cluster.clock.ms = began_ms + passed_ms
            lasts = passed_ms > SLOW_COMMIT_S * 1000
            commit[0] = SlowCommit(began_s, None) if lasts else None
            node.store_watch.look()
            await node.wake_rooms()
        assert actor.room.playing
        commit[0] = SlowCommit(began_s, began_s + 12.0)
        for _ in range(2):
            node.store_watch.look()
    await node.settle()
    assert [line["log_level"] for line in lines] == ["error", "warning"]
    assert (node.downtime.standstills, node.downtime.spans) == (1, (Downtime(began_ms, began_ms + 12_000),))
    cluster.clock.ms += 1_000
    await actor.request(ANN, Move("b", 2, "c3"))
    assert left_ms(actor) == 9_000


async def test_another_hang_of_the_store_counts_again(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    began_s = cluster.clock.now_s()
    commits = [SlowCommit(began_s, began_s + 2.0), SlowCommit(began_s + 3.0, began_s + 5.0)]
    for seconds, commit in zip((2, 3), commits, strict=True):
        cluster.clock.ms += seconds * 1000
        monkeypatch.setattr(type(cluster.store), "slow_commit", commit)
        node.downtime.clock_set(cluster.clock.ms)
        node.store_watch.look()
    assert (node.downtime.standstills, node.downtime.standstill_s) == (2, 4.0)


async def test_a_node_of_several_gives_back_its_own_standstill(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """On the clock. Absences must begin at the same time for all nodes, so they leave out what the store knows alone."""
    one, _ = pair
    actor = await one.timed_game(FischerClock(60_000, 0))
    one.join(actor, ANN)
    one.store_watch.look()
    cluster.clock.ms += 2_000
    one.store_watch.look()
    await one.heartbeat.beat()
    assert (len(one.downtime.spans), one.downtime.agreed) == (1, ())
    await actor.request(ANN, Move("b", 2, "c3"))
    assert left_ms(actor) == 60_000


async def test_the_watch_looks_until_it_is_cancelled(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.app.node.store_watch.TICK_MS", 1)
    looks = asyncio.Semaphore(0)
    monkeypatch.setattr(type(node.store_watch), "look", lambda watch: looks.release())
    watching = asyncio.create_task(node.store_watch.tick())
    for _ in range(3):
        await looks.acquire()
    watching.cancel()
    await asyncio.wait([watching])
