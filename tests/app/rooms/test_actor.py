"""A room and other nodes, new names, the engine's search, and letting go."""

from __future__ import annotations

from noughts.app.machines.replies import RETRY_MS
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.room_search import RoomSearch
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat, Move, Resign
from tests.support.node import ANN, Cluster, Node
from tests.support.replies import submit

# --- the engine's search --------------------------------------------------------------------------------------------


async def engine_game(node: Node) -> RoomActor:
    """Make a game against the engine on a clock, the engine to move."""
    return await node.room(MoveClock(60_000), opponent="engine", engines=("novice",), mark="O")


async def test_a_search_that_ended_leaves_the_engine_to_move_again(cluster: Cluster, node: Node) -> None:
    """At once if its answer was worthless, after a pause if it failed. A flag waits for neither."""
    actor = await engine_game(node)
    engine_ms = cluster.clock.ms + node.policy.engine_pace_ms
    cluster.clock.ms += 5_000
    at_ms, searches = [], []
    for retry in (False, True):
        actor.visitors.search = search = RoomSearch(1, (), False)
        actor.wake()
        at_ms.append(node.wakes.at_ms(actor.id))
        for ended in (RoomSearch(1, (), False), search):  # another one changes nothing
            actor.search_ended(ended, retry=retry)
            searches.append(actor.visitors.search)
        at_ms.append(node.wakes.at_ms(actor.id))
        assert searches[-2:] == [search, None]
    flag_ms = engine_ms - node.policy.engine_pace_ms + 30_000
    assert at_ms == [flag_ms, engine_ms, flag_ms, cluster.clock.ms + RETRY_MS]


async def test_a_search_is_called_off_with_its_game(node: Node) -> None:
    actor = await engine_game(node)
    searches = []
    for id, command in (("a", Chat("a", "hello")), ("b", Resign("b"))):
        actor.visitors.search = search = RoomSearch(1, (), False)
        await actor.request(ANN, command)
        searches.append((id, actor.visitors.search is search))
    assert searches == [("a", True), ("b", False)]


# --- letting go -----------------------------------------------------------------------------------------------------


async def test_an_actor_is_idle_only_when_nothing_would_be_lost(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    idle = [actor.idle]
    screen = node.join(actor)
    idle.append(actor.idle)
    node.leave(actor, screen)
    idle.append(actor.idle)
    cluster.store.hold_commits()
    submit(actor, ANN, Move("a", 0, "b2"))
    idle.append(actor.idle)
    cluster.store.release_commits()
    await node.settle()
    idle.append(actor.idle)
    actor.visitors.search = RoomSearch(1, (), False)
    idle.append(actor.idle)
    assert idle == [True, False, True, False, True, False]
