"""A beat tells the store that a node is up, and the node what the store knows."""

from __future__ import annotations

import pytest
import structlog

from noughts.app.node.heartbeat import CUT_OFF_S, LATE_S, Heartbeat
from noughts.app.runtime.clock import StoreClock
from noughts.app.runtime.node_state import NodeState
from noughts.room.downtime import Downtime
from noughts.store.contract import ConnectionStats, DamagedError, Guarantee, StoreUnavailableError
from noughts.store.presence import LEASE_MS
from tests.support.node import Cluster, Node


async def test_a_standstill_before_the_answer_is_noted(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """The answer to a beat may be the first thing that a process sees when it goes on."""
    one, _ = pair
    one.downtime.tick(cluster.clock.ms)
    began_ms = cluster.clock.ms
    cluster.clock.ms += 5_000
    await one.heartbeat.beat()
    assert one.downtime.take_standstills() == [Downtime(began_ms, began_ms + 5_000)]


async def test_each_beat_takes_over_the_time_of_the_store(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """This machine is decades ahead of it."""
    one, _ = pair
    clock = StoreClock()
    state = NodeState(clock, one.downtime)
    heartbeat = Heartbeat(one.link.as_store(), state, one.mirror, one.registry, one.hub, "one")
    await heartbeat.beat()
    assert cluster.clock.ms <= clock.now_ms() < cluster.clock.ms + 60_000
    assert heartbeat.status().clock_offset_ms == clock.machine_ahead_ms > 60_000


async def test_a_node_of_several_is_ready_while_its_beats_are_answered(
    cluster: Cluster, pair: tuple[Node, Node]
) -> None:
    one, _ = pair
    assert one.heartbeat.loss_reason() == "the store has not answered yet"
    for node in (*pair, one):
        await node.heartbeat.beat()
    assert one.heartbeat.loss_reason() is None
    one.link.cut = True
    cluster.clock.ms += int(LATE_S * 1000) + 1_000
    with pytest.raises(StoreUnavailableError):
        await one.heartbeat.beat()
    assert one.heartbeat.loss_reason() == "the store has not answered for 3 s: this node does not reach the store"
    cut_off = [one.heartbeat.cut_off]
    cluster.clock.ms += int(CUT_OFF_S * 1000)
    cut_off.append(one.heartbeat.cut_off)
    assert cut_off == [False, True]
    one.link.cut = False
    await one.heartbeat.beat()
    assert [one.heartbeat.loss_reason(), one.heartbeat.cut_off] == [None, False]


async def test_clients_stay_while_the_store_serves_no_node(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be reached, and says that it is full or still reads its data. Elsewhere that is the same."""
    one, _ = pair
    for node in (*pair, one):
        await node.heartbeat.beat()
    stats = ConnectionStats()
    monkeypatch.setattr(type(one.link), "stats", stats, raising=False)
    one.link.cut = True
    cut_off = []
    for incapable in (1, 2, 2):
        cluster.clock.ms += int(CUT_OFF_S * 1000) + 1_000
        stats.incapable = incapable
        with pytest.raises(StoreUnavailableError):
            await one.heartbeat.beat()
        assert one.heartbeat.loss_reason() is not None
        cut_off.append(one.heartbeat.cut_off)
    assert cut_off == [False, False, True]


async def test_a_node_alone_keeps_its_clients(cluster: Cluster) -> None:
    """There is no other node to which they could go."""
    only = Node(cluster, "one", shared=True)
    await only.heartbeat.beat()
    cluster.clock.ms += int(CUT_OFF_S * 1000) + LEASE_MS
    assert not only.heartbeat.cut_off


async def test_the_only_node_of_a_store_takes_over_its_downtime_once(cluster: Cluster, node: Node) -> None:
    """It sees its own outages itself."""
    await node.heartbeat.beat()
    node.downtime.add(10, 20)
    await node.heartbeat.beat()
    assert (node.downtime.spans, node.heartbeat.beats) == ((Downtime(10, 20),), 2)
    assert [status.name for status in node.heartbeat.nodes] == ["one"]


async def test_an_outage_begins_with_a_beat_that_fails(cluster: Cluster, node: Node) -> None:
    """Though no command meets it. It is logged, and over with a beat that succeeds. A first beat belongs to no outage."""
    cluster.store.down = True
    with pytest.raises(StoreUnavailableError):
        await node.heartbeat.beat()
    outages = [node.downtime.on]
    cluster.store.down = False
    await node.heartbeat.beat()
    cluster.store.down = True
    with structlog.testing.capture_logs() as lines, pytest.raises(StoreUnavailableError):
        await node.heartbeat.beat()
    outages.append(node.downtime.on)
    assert outages == [False, True]
    assert [line["event"] for line in lines] == ["the store cannot be used"]
    cluster.clock.ms += 3_000
    cluster.store.down = False
    await node.probe_store()
    assert [span.until_ms - span.from_ms for span in node.downtime.spans] == [3_000]


async def test_damage_that_a_beat_meets_is_no_outage(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would last as long as the damage, and every command would be rejected."""
    await node.heartbeat.beat()

    async def damaged(*arguments: object) -> None:
        raise DamagedError("a part of the file is damaged")

    monkeypatch.setattr(cluster.store, "beat", damaged)
    with pytest.raises(DamagedError):
        await node.heartbeat.beat()
    assert not node.downtime.on


@pytest.mark.parametrize(("back_ms", "lines"), [(7_200_000, 1), (500, 0), (-7_200_000, 0)])
async def test_time_goes_on_where_it_was_stored(cluster: Cluster, back_ms: int, lines: int) -> None:
    """The machine's clock was set between two runs. Set back by much, it is worth a warning."""
    await Node(cluster).heartbeat.beat()
    last_ms = cluster.clock.ms
    cluster.clock.ms -= back_ms
    machine_ms = cluster.clock.ms
    await cluster.store.close()
    await cluster.store.open()
    again = Node(cluster)
    with structlog.testing.capture_logs() as logged:
        await again.heartbeat.beat()
        assert cluster.clock.ms == max(last_ms, machine_ms)
        cluster.clock.ms -= 500
        await again.heartbeat.beat()
    assert (cluster.clock.ms, len(logged)) == (max(last_ms, machine_ms) - 500, lines)


async def test_the_guarantee_is_logged_when_it_is_another(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the start, and after a failover to a server with other settings; a weakness is a warning."""
    one, _ = pair
    guarantees = [Guarantee("strong"), Guarantee("strong"), Guarantee("weak", "It is weak: mend it.")]
    with structlog.testing.capture_logs() as lines:
        for guarantee in guarantees:
            monkeypatch.setattr(type(one.link), "guarantee", lambda link, now=guarantee: now, raising=False)
            await one.heartbeat.beat()
    logged = [(line["log_level"], line.get("guarantee", line["event"])) for line in lines]
    assert logged == [("info", "strong"), ("info", "weak"), ("warning", "It is weak: mend it.")]
    assert one.heartbeat.metrics().guarantee == guarantees[-1]
    assert (one.heartbeat.metrics().beats, one.heartbeat.metrics().nodes) == (3, 1)


async def test_requests_wait_only_for_the_store_of_a_ready_node(
    cluster: Cluster, node: Node, pair: tuple[Node, Node]
) -> None:
    """One of several may reach it again at once. The only node of a store measures outages itself."""
    one, _ = pair
    may_wait = [node.heartbeat.outage_may_pass, one.heartbeat.outage_may_pass]
    for each in (node, one):
        await each.heartbeat.beat()
        may_wait.append(each.heartbeat.outage_may_pass)
        each.heartbeat.note_outage()
    assert may_wait == [False, False, False, True]
    assert [node.downtime.on, one.downtime.on] == [False, True]
    cluster.clock.ms += int(LATE_S * 1000) + 1
    assert not one.heartbeat.outage_may_pass
