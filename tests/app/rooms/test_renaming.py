"""A player's new name wherever the old one stood."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from noughts.app.rooms.renaming import Renaming
from noughts.app.rooms.visitors import CROWD_INTERVAL_MS
from noughts.room.commands import Chat, Close, Resign, Sit
from noughts.room.seat import HumanSeat, Person
from noughts.store.contract import StoreUnavailableError
from tests.support.node import ANN, BEN, EVE, Cluster, Node, game_of, raise_version
from tests.support.replies import code_of, submit

BENJAMIN = Person(BEN.player, "Benjamin")


async def test_a_new_name_is_shown_in_every_room_of_the_player(cluster: Cluster, node: Node) -> None:
    """In a seat, as the owner, and in the record of a game; in rooms that this node did not hold as well."""
    seated, own = await node.game(), await Node(cluster, "two").room(owner=BEN)
    screen = node.join(seated)
    await node.renaming.rename(BENJAMIN)
    await seated.request(ANN, Resign("a"))
    await node.settle()
    assert screen.room["seats"]["O"]["name"] == "Benjamin"
    assert HumanSeat(BEN.player, "Benjamin") == game_of(seated).players.O
    held = node.registry.held(own.id)
    assert held is not None
    assert held.room.owner == BENJAMIN


async def test_other_tasks_run_while_many_rooms_are_looked_through(node: Node) -> None:
    """A server may hold 20,000 rooms. Of two names, the newer one stays in all of them."""
    renaming = Renaming(node.store, node.registry, node.hub, node.names, at_once=2)
    watchers = [node.join(await node.game(), EVE) for _ in range(8)]
    showing = asyncio.create_task(renaming.show(Person(EVE.player, "Evelyn")))
    for turns in itertools.count():
        await asyncio.sleep(0)
        if showing.done():
            break
        if turns == 1:
            node.names.renamed(Person(EVE.player, "Eva"))
    assert turns >= 3
    await node.settle()
    node.clock.ms += CROWD_INTERVAL_MS
    await node.send_notices()
    assert [watcher.crowd["names"] for watcher in watchers[-4:]] == [["Eva"]] * 4


async def test_a_new_name_is_shown_in_chat_and_for_connections(node: Node) -> None:
    actor = await node.game()
    eve = node.join(actor, EVE)
    await actor.request(EVE, Chat("a", "hello"))
    await node.renaming.rename(Person(EVE.player, "Evelyn"))
    assert eve.connection.person == Person(EVE.player, "Evelyn")
    newcomer = node.join(actor)
    await node.settle()
    assert newcomer.of("chat")[0]["lines"][0]["from"]["name"] == "Evelyn"
    assert newcomer.crowd["names"] == ["Evelyn"]


async def test_a_command_that_waits_is_carried_out_under_the_new_name(cluster: Cluster, node: Node) -> None:
    actor = await node.room()
    cluster.store.hold_commits()
    submit(actor, ANN, Chat("a", "hello"))
    answer = submit(actor, BEN, Sit("b", "O", actor.room.invite))
    await node.renaming.show(BENJAMIN)
    cluster.store.release_commits()
    await node.settle()
    assert (answer.version, actor.room.seats.O) == (2, HumanSeat(BEN.player, "Benjamin"))


async def test_a_room_that_is_gone_by_now_keeps_nobody_from_a_new_name(cluster: Cluster, node: Node) -> None:
    first, second = await node.game(), await node.game()
    gate = cluster.store.block("ids_of")
    renaming = asyncio.create_task(node.renaming.rename(BENJAMIN))
    await node.settle()
    cluster.store.hold_commits()
    gate.set()
    submit(first, ANN, Close("a"))
    await node.settle()
    cluster.store.release_commits()
    await renaming
    assert HumanSeat(BEN.player, "Benjamin") == second.room.seats.O


async def test_without_the_store_the_caller_must_ask_again(cluster: Cluster, node: Node) -> None:
    """The second time finds the rooms that the first did not reach."""
    first, second = await node.game(), await node.game()
    cluster.store.failing.add("submit")
    assert await code_of(node.renaming.rename(BENJAMIN)) == "unavailable"
    cluster.store.failing = {"ids_of"}
    with pytest.raises(StoreUnavailableError):
        await node.renaming.rename(BENJAMIN)
    cluster.store.failing = set()
    await node.probe_store()
    await node.renaming.rename(BENJAMIN)
    for actor in (first, second):
        assert HumanSeat(BEN.player, "Benjamin") == actor.room.seats.O


async def test_a_room_of_other_bytes_must_be_tried_again(cluster: Cluster, node: Node) -> None:
    """A deleted name stays in no room: the account can only go once each has been reached. The others have the new name."""
    rooms = [(await Node(cluster, "two").game()).id for _ in range(3)]
    await raise_version(cluster, rooms[1], b"no room")
    assert await code_of(node.renaming.rename(BENJAMIN)) == "unavailable"
    for room in (rooms[0], rooms[2]):
        assert HumanSeat(BEN.player, "Benjamin") == (await node.registry.open(room)).room.seats.O
