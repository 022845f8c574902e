"""A room whose store is slow to answer: no player on a clock is charged for the wait."""

from __future__ import annotations

from noughts.app.rooms.actor import RoomActor
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Chat, Move, Offer
from noughts.room.room import RoomGame
from tests.support.node import ANN, BEN, EVE, Cluster, Node
from tests.support.replies import submit

CLOCK = FischerClock(60_000, 0)


def game_of(actor: RoomActor) -> RoomGame:
    assert actor.room.game is not None
    return actor.room.game


async def test_a_turn_begins_when_the_move_before_is_stored(cluster: Cluster, node: Node) -> None:
    """So the view shows it, and the flag falls that much later."""
    actor = await node.timed_game(MoveClock(10_000))
    screen = node.join(actor, BEN)
    cluster.store.hold_commits()
    answer = submit(actor, ANN, Move("a", 2, "c3"))
    cluster.clock.ms += 12_000
    actor.wake()
    cluster.store.release_commits()
    await node.settle()
    assert (answer.version, screen.room["phase"]) == (5, "playing")
    assert screen.room["clock"]["at_ms"] == cluster.clock.ms
    assert node.wakes.at_ms(actor.id) == cluster.clock.ms + 10_000


async def test_a_move_that_waits_for_a_chat_line_is_in_time(cluster: Cluster, node: Node) -> None:
    """It is judged as of its arrival, though the flag was due when its turn came."""
    actor = await node.timed_game(MoveClock(10_000))
    cluster.clock.ms += 9_800
    cluster.store.hold_commits()
    submit(actor, EVE, Chat("a", "look"))
    answer = submit(actor, ANN, Move("b", 2, "c3"))
    arrived_ms = cluster.clock.ms
    cluster.clock.ms += 400
    actor.wake()
    cluster.store.release_commits()
    await node.settle()
    assert (answer.version, actor.room.playing) == (5, True)
    assert game_of(actor).at_ms[-1] == arrived_ms


async def test_a_room_that_is_read_again_keeps_its_turn(cluster: Cluster, node: Node) -> None:
    """The stored room says when the step was taken, not when it was sent."""
    actor = await node.timed_game(CLOCK)
    cluster.store.hold_commits()
    submit(actor, ANN, Move("a", 2, "c3"))
    cluster.clock.ms += 400
    cluster.store.release_commits()
    await node.settle()
    began_ms = game_of(actor).turn_since_ms
    await actor.refresh()
    assert game_of(actor).turn_since_ms == began_ms == cluster.clock.ms


async def test_a_turn_begins_on_another_node_when_it_is_told(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """The store of several nodes is slow for all of them alike."""
    one, two = pair
    actor = await one.timed_game(MoveClock(10_000))
    one.join(actor, ANN)
    other = await two.registry.open(actor.id)
    two.join(other, BEN)
    cluster.store.hold_commits()
    submit(actor, ANN, Move("a", 2, "c3"))
    await one.settle()
    cluster.clock.ms += 12_000
    cluster.store.release_commits()
    await one.settle()
    await two.hear()
    assert (other.room.version, game_of(other).turn_since_ms) == (5, cluster.clock.ms)


async def test_a_command_that_conflicts_keeps_its_time(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """Another node changed the room first. The player is not charged for the second attempt."""
    one, two = pair
    actor = await one.timed_game(MoveClock(10_000))
    other = await two.registry.open(actor.id)
    await actor.request(BEN, Offer("a", "draw"))
    cluster.clock.ms += 9_000
    began_ms = cluster.clock.ms
    cluster.store.hold_commits()
    answer = submit(other, ANN, Move("b", 2, "c3"))
    await two.settle()
    cluster.clock.ms += 2_000
    cluster.store.release_commits()
    for _ in range(3):
        await two.settle()
    assert (answer.version, game_of(other).at_ms[-1]) == (6, began_ms)
