"""What a step is given beside the room."""

from __future__ import annotations

from noughts.room.downtime import Downtime
from noughts.room.presence import Presence
from tests.support.node import Cluster, Node


def test_a_step_is_taken_now(cluster: Cluster, node: Node) -> None:
    """Time and downtime are read for each step anew."""
    presence = Presence(connections=1)
    first = node.circumstances.moment(presence)
    cluster.clock.ms += 5_000
    node.downtime.add(10, 20)
    second = node.circumstances.moment(presence)
    assert second.now_ms == first.now_ms + 5_000 == cluster.clock.ms
    assert (first.downtimes, second.downtimes) == ((), (Downtime(10, 20),))
    assert second.policy is node.policy
    assert second.presence is presence
