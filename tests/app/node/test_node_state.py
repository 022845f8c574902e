"""What a step is given beside the room."""

from __future__ import annotations

from noughts.app.node.downtime import STANDSTILL_MS, TICK_MS
from noughts.room.clock import MoveClock
from noughts.room.commands import Move
from noughts.room.downtime import Downtime
from tests.support.node import ANN, Cluster, Node


def test_a_step_notes_that_the_event_loop_stood_still(cluster: Cluster, node: Node) -> None:
    """The step may be the first thing that runs after it. Without ticks, nothing is known about the event loop."""
    stood_still = []
    for ms in (60_000, TICK_MS + STANDSTILL_MS, TICK_MS + STANDSTILL_MS + 1):
        cluster.clock.ms += ms
        assert node.state.step_ms() == cluster.clock.ms
        stood_still.append(node.downtime.spans)
        node.downtime.tick(cluster.clock.ms)
    assert stood_still == [(), (), (Downtime(cluster.clock.ms - ms, cluster.clock.ms),)]


async def test_downtime_is_owed_to_a_running_clock_once(cluster: Cluster, node: Node) -> None:
    """Not to a game without a clock, and no longer once a change has compensated it."""
    timed, untimed = await node.timed_game(MoveClock(60_000)), await node.game()
    owed = [node.state.owes_time(timed.room)]
    node.downtime.add(cluster.clock.ms + 1, cluster.clock.ms + 1_000)
    cluster.clock.ms += 2_000
    owed += [node.state.owes_time(actor.room) for actor in (timed, untimed)]
    await timed.request(ANN, Move("a", 2, "c3"))
    owed.append(node.state.owes_time(timed.room))
    assert owed == [False, True, False, False]
