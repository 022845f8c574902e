"""What a step is given beside the room."""

from __future__ import annotations

from noughts.app.node.downtime import STANDSTILL_MS, TICK_MS
from noughts.room.downtime import Downtime
from tests.support.node import Cluster, Node


def test_a_step_notes_that_the_event_loop_stood_still(cluster: Cluster, node: Node) -> None:
    """The step may be the first thing that runs after it. Without ticks, nothing is known about the event loop."""
    stood_still = []
    for ms in (60_000, TICK_MS + STANDSTILL_MS, TICK_MS + STANDSTILL_MS + 1):
        cluster.clock.ms += ms
        assert node.state.step_ms() == cluster.clock.ms
        stood_still.append(node.downtime.spans)
        node.downtime.tick(cluster.clock.ms)
    assert stood_still == [(), (), (Downtime(cluster.clock.ms - ms, cluster.clock.ms),)]
