"""A room and other nodes, new names, the engine's search, and letting go."""

from __future__ import annotations

import pytest

from noughts.app.machines.replies import RETRY_MS
from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.room_search import RoomSearch
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat, Close, Move, Resign, Sit
from noughts.room.seat import HumanSeat, Person
from noughts.store.machine_store import Change, Stored
from tests.support.node import ANN, BEN, Cluster, Node
from tests.support.replies import submit

# --- other nodes and other names ------------------------------------------------------------------------------------


async def test_a_change_of_another_node_is_shown_when_it_is_heard(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    node, two = pair
    actor = await node.game()
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await actor.request(ANN, Move("a", 0, "b2"))
    await two.hear()
    assert (screen.versions, screen.room["game"]["moves"]) == ([2, 3], ["b2"])
    loads = cluster.store.methods.count("load")
    other.changed_elsewhere(Change(actor.id, 1, 2))
    await two.settle()
    assert cluster.store.methods.count("load") == loads  # this node is ahead of that one


async def test_a_command_under_an_old_name_shows_the_new_one(cluster: Cluster, node: Node) -> None:
    """It may have waited for its room while the player was renamed."""
    actor = await node.room()
    cluster.store.hold_commits()
    for person, command in ((ANN, Chat("a", "hello")), (BEN, Sit("b", "O", actor.room.invite))):
        submit(actor, person, command)
    await node.renaming.show(Person(BEN.player, "someone"))
    cluster.store.release_commits()
    await node.settle()
    assert HumanSeat(BEN.player, "someone") == actor.room.seats.O


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


async def test_a_stored_change_that_was_not_asked_for_is_a_fault(node: Node) -> None:
    """An answer of the store has a commit that waits for it."""
    actor = await node.game()
    with pytest.raises(RuntimeError):
        actor.commit_answered(Change(actor.id, 2, 3), Stored(3))
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3


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


async def test_a_client_may_leave_a_closed_room(node: Node) -> None:
    actor = await node.game()
    screen = node.join(actor, ANN)
    await actor.request(ANN, Close("a"))
    node.wakes.set(actor.id, None)
    node.leave(actor, screen)
    assert node.wakes.at_ms(actor.id) is None
