"""A player's new name: it is one row, and every node that shows the player is told."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from noughts.app.machines.registry import RENAMED_AT_ONCE
from noughts.app.rooms.on_node import CROWD_INTERVAL_MS
from noughts.room.commands import Chat, Sit
from noughts.room.room import RoomMatch
from noughts.room.seat import Person
from noughts.store.machine_store import Change
from tests.support.node import ANN, BEN, EVE, Cluster, Node
from tests.support.replies import submit


async def test_a_rename_is_one_row(cluster: Cluster, node: Node) -> None:
    """However many rooms the player owns. Whoever looks at one of them sees the new name at once, at the same version."""
    rooms = [await node.game() for _ in range(3)]
    screens = [node.join(room) for room in rooms]
    writes: list[Change] = list(cluster.store.changes)
    await node.rename(BEN, "Benjamin")
    await node.settle()
    assert cluster.store.changes == writes
    for screen in screens:
        assert screen.room["seats"]["O"]["name"] == "Benjamin"
        assert [message["event"] for message in screen.of("room")] == [None, None]
        assert len({message["version"] for message in screen.of("room")}) == 1


async def test_a_room_that_is_read_has_the_present_names(cluster: Cluster, node: Node) -> None:
    room = await node.game()
    await cluster.store.rename(BEN.player, "Benjamin")
    there = await Node(cluster, "two").registry.open(room.id)
    assert there.connections.names == {ANN.player: "Ann", BEN.player: "Benjamin"}
    await cluster.store.delete_player(BEN.player)
    room.read_again()
    screen = node.join(room)
    await node.settle()
    assert screen.room["seats"]["O"]["name"] == "someone"


async def test_the_name_of_a_spectator_is_another_in_chat_and_crowd(node: Node) -> None:
    actor = await node.game()
    eve = node.join(actor, EVE)
    await actor.request(EVE, Chat("a", "hello"))
    await node.rename(EVE, "Evelyn")
    assert eve.connection.person == Person(EVE.player, "Evelyn")
    newcomer = node.join(actor)
    await node.settle()
    assert newcomer.of("chat")[0]["lines"][0]["from"]["name"] == "Evelyn"
    assert newcomer.crowd["names"] == ["Evelyn"]


async def test_a_command_that_waits_is_carried_out_under_the_new_name(cluster: Cluster, node: Node) -> None:
    actor = await node.room()
    screen = node.join(actor, BEN)
    cluster.store.hold_commits()
    submit(actor, ANN, Chat("a", "hello"))
    answer = submit(actor, BEN, Sit("b", "O", actor.room.invite))
    await node.rename(BEN, "Benjamin")
    cluster.store.release_commits()
    await node.settle()
    assert answer.version == 2
    assert screen.room["seats"]["O"]["name"] == "Benjamin"


@pytest.mark.parametrize("reported", [True, False])
async def test_a_newcomer_to_a_seat_is_named_on_every_node(pair: tuple[Node, Node], reported: bool) -> None:
    """Also where this is the first that a node hears of the player. A spectator keeps the newest name when sitting down."""
    one, two = pair
    actor = await one.room()
    there = await two.registry.open(actor.id)
    screen = two.join(there)
    if reported:
        one.join(actor, EVE)
        await one.send_notices()
        await two.hear()
        await two.rename(EVE, "Evelyn")
        await one.hear()
    await actor.request(EVE, Sit("b", "O", actor.room.invite))
    await one.settle()
    await two.hear()
    await two.settle()
    assert screen.room["seats"]["O"]["name"] == ("Evelyn" if reported else "Eve")


async def test_the_players_of_a_match_keep_their_names_of_the_tournament(node: Node) -> None:
    actor = await node.game()
    actor.value = replace(actor.value, match=RoomMatch("t", 1, 2))
    screen = node.join(actor)
    for name, shown in (("Benjamin", "Ben"), ("someone", "someone")):
        await node.rename(BEN, name)
        await node.settle()
        assert screen.room["seats"]["O"]["name"] == shown


async def test_other_tasks_run_while_many_rooms_are_looked_through(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may hold 20,000 rooms. Of two names, the newer one stays in all of them."""
    monkeypatch.setattr("noughts.app.machines.registry.RENAMED_AT_ONCE", 2)
    assert RENAMED_AT_ONCE <= 1_000
    watchers = [node.join(await node.game(), EVE) for _ in range(8)]
    first = node.tasks.run(node.registry.rename({EVE.player: "Evelyn"}))
    await asyncio.sleep(0)
    assert not first.done()
    await node.registry.rename({EVE.player: "Eva"})
    assert first.done()
    await node.settle()
    node.clock.ms += CROWD_INTERVAL_MS
    await node.send_notices()
    assert [watcher.crowd["names"] for watcher in watchers] == [["Eva"]] * 8
