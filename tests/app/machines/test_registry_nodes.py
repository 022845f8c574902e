"""The rooms that one of several nodes holds: read again when opened, let go without connections, changed elsewhere."""

from __future__ import annotations

import asyncio

from noughts.room.commands import Move
from tests.support.node import ANN, BEN, Cluster, Node
from tests.support.replies import code_of

# --- finding --------------------------------------------------------------------------------------------------------


async def test_an_opened_room_is_read_again_if_it_is_held(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """Its client may know a newer version from another node, whose message is still on its way."""
    one, two = pair
    actor = await one.game()
    elsewhere = await two.registry.open(actor.id)
    two.join(elsewhere)
    await actor.request(ANN, Move("a", 0, "b2"))
    assert elsewhere.room.version == 2
    assert await two.registry.open(actor.id) is elsewhere
    assert elsewhere.room.version == 3


async def test_a_room_is_read_for_each_caller_who_comes_later(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """A read that is under way may have begun before a change that the second caller knows of."""
    one, two = pair
    room = (await one.game()).id
    gate = cluster.store.block("load")
    callers = [asyncio.create_task(two.registry.open(room)) for _ in range(2)]
    await two.settle()
    gate.set()
    first, second = [await caller for caller in callers]
    assert first is second is two.registry.held(room)
    assert cluster.store.methods.count("load") == 3  # one of them by the first node, which made the room


async def test_a_room_is_read_without_holding_it(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    one, two = pair
    actor = await one.game()
    assert await two.registry.read(actor.id) == actor.room
    assert await code_of(two.registry.read("nowhere")) == "unknown_room"
    assert len(two.registry) == 0
    assert cluster.exchange.holders[actor.id] == {"one"}


# --- letting go -----------------------------------------------------------------------------------------------------


async def test_a_room_without_a_client_is_let_go_after_two_beats(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """One with a client is not, and its deadlines stay."""
    one, _ = pair
    left, kept = await one.game(), await one.game()
    one.join(kept, ANN)
    one.registry.drop_unattended()
    assert one.registry.held(left.id) is left
    one.registry.drop_unattended()
    assert [one.registry.held(actor.id) for actor in (left, kept)] == [None, kept]
    assert [cluster.exchange.holders[actor.id] for actor in (left, kept)] == [set(), {"one"}]
    assert (one.wakes.at_ms.get(left.id), one.wakes.at_ms.get(kept.id) is not None) == (None, True)


async def test_a_client_enters_a_room_that_was_let_go(pair: tuple[Node, Node]) -> None:
    """The room is opened again, and the actor that was dropped takes no connection."""
    one, _ = pair
    actor = await one.game()
    early, late = one.screen(ANN).connection, one.screen(BEN).connection
    here = await one.registry.enter(actor.id, early, "")
    one.registry.leave(here, early)
    again = await one.registry.enter(actor.id, late, "")
    assert (again is here, len(here.connections), list(again.connections)) == (False, 0, [late])


async def test_a_client_of_an_actor_that_was_replaced_leaves(pair: tuple[Node, Node]) -> None:
    """Its room was let go and opened again meanwhile. The new actor stays."""
    one, _ = pair
    actor = await one.game()
    late = one.screen(ANN).connection
    for _ in range(2):
        one.registry.drop_unattended()
    again = await one.registry.open(actor.id)
    actor.join(late)
    one.registry.leave(actor, late)
    assert one.registry.held(actor.id) is again is not actor
