"""The watch over the store of one of several nodes: beats, and a node that is cut off from the store."""

from __future__ import annotations

import pytest

from noughts.app.node.heartbeat import CUT_OFF_S
from noughts.protocol.close_codes import RESTART
from tests.support.node import ANN, Cluster, Node
from tests.support.pauses import run_through_pauses
from tests.support.player import WAIT_S


async def test_a_node_beats_always_and_a_failed_beat_is_downtime(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also without a room. During the downtime, the probes of the store take the place of beats."""
    one, _ = pair
    await run_through_pauses(one.store_watch.send_beats(), cluster.store, monkeypatch)
    assert one.heartbeat.beats >= 4
    one.link.cut = True
    await run_through_pauses(one.store_watch.send_beats(), cluster.store, monkeypatch)
    assert one.downtime.on
    one.link.cut = False
    beats = one.heartbeat.beats
    await run_through_pauses(one.store_watch.send_beats(), cluster.store, monkeypatch)
    assert one.heartbeat.beats == beats


async def test_a_node_that_is_cut_off_sends_its_clients_away(
    cluster: Cluster, pair: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few with each probe of the store. Other nodes may reach it."""
    monkeypatch.setattr("noughts.app.node.store_watch.PROBE_S", WAIT_S)  # one probe each time, however slow the disk is
    one, two = pair
    for node in (one, two, one):
        await node.heartbeat.beat()
    clients = [one.screen(ANN) for _ in range(3)]
    one.link.cut = True
    codes = []
    for _ in range(2):
        one.downtime.begin(cluster.clock.ms)
        await one.probe_store()
        codes.append(sorted(str(screen.code) for screen in clients))
        cluster.clock.ms += int(CUT_OFF_S * 1000) + 1
    assert codes == [["None"] * 3, sorted([str(RESTART), "None", "None"])]
