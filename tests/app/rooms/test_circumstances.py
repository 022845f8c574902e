"""What a step is given beside the room."""

from __future__ import annotations

from noughts.room.clock import MoveClock
from noughts.room.commands import Move
from noughts.room.downtime import Downtime
from noughts.room.presence import Presence
from tests.support.node import ANN, Cluster, Node


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


async def test_downtime_is_owed_to_a_running_clock_once(cluster: Cluster, node: Node) -> None:
    """Not to a game without a clock, and no longer once a change has compensated it."""
    timed, untimed = await node.timed_game(MoveClock(60_000)), await node.game()
    owed = [node.circumstances.owes_time(timed.room)]
    node.downtime.add(cluster.clock.ms + 1, cluster.clock.ms + 1_000)
    cluster.clock.ms += 2_000
    owed += [node.circumstances.owes_time(actor.room) for actor in (timed, untimed)]
    await timed.request(ANN, Move("a", 2, "c3"))
    owed.append(node.circumstances.owes_time(timed.room))
    assert owed == [False, True, False, False]
