"""The flag of a game of days: a node that has just started ends the game, and holds no room before that."""

from __future__ import annotations

from noughts.room.clock import DAY_MS, DaysClock, FischerClock
from noughts.room.storage import room_from
from tests.support.node import Cluster, Node


async def test_a_node_that_has_just_started_ends_the_game(cluster: Cluster, node: Node) -> None:
    """Wake the room at its deadline and not before, with no client connected anywhere."""
    room_id = (await node.game(DaysClock(3))).id
    other = Node(cluster)
    for elapsed_ms, phase in ((3 * DAY_MS - 1, "playing"), (1, "finished")):
        cluster.clock.ms += elapsed_ms
        await other.scheduler.learn_clocks()
        await other.scheduler.claim_due()
        assert len(other.registry) == 0
        await other.wake_rooms()
        stored = await cluster.store.load(room_id)
        assert stored is not None
        assert room_from(stored.data).phase == phase


async def test_only_a_game_of_days_is_dropped_while_it_waits(node: Node) -> None:
    """In a game by minutes, the node must know since when a player is away."""
    for clock, held in ((DaysClock(1), 0), (FischerClock(600_000, 0), 1)):
        await node.timed_game(clock)
        await node.scheduler.release_waiting()
        assert len(node.registry) == held
