"""Making rooms, within the limits of number."""

from __future__ import annotations

import pytest

from noughts.app.runtime.limits import MAX_ROOMS_OF_PLAYER
from noughts.errors import Rejection
from noughts.room.commands import Close
from noughts.room.room import mark_of
from noughts.room.seat import Person
from tests.support.node import ANN, BEN, Cluster, Node
from tests.support.replies import code_of


@pytest.fixture
def limited(cluster: Cluster) -> Node:
    return Node(cluster, unlimited=False)


async def test_a_room_is_stored_and_held(cluster: Cluster, node: Node) -> None:
    actor = await node.room()
    assert node.registry.held(actor.id) is actor
    assert await cluster.store.load(actor.id) is not None
    assert (actor.room.version, actor.room.owner, actor.room.created_ms) == (1, ANN, cluster.clock.ms)
    assert actor.room.invite


async def test_every_room_has_an_id_and_an_invite_of_its_own(node: Node) -> None:
    rooms = [(await node.room()).room for _ in range(20)]
    assert len({room.id for room in rooms}) == len({room.invite for room in rooms}) == 20


async def test_without_a_mark_the_owners_is_random(node: Node) -> None:
    marks = [mark_of((await node.room(mark=None)).room, ANN.player) for _ in range(20)]
    assert set(marks) == {"X", "O"}


async def test_an_engine_needs_a_level_of_its_variant(cluster: Cluster, node: Node) -> None:
    with pytest.raises(Rejection, match="at: ") as caught:
        await node.room(opponent="engine", engines=("grandmaster",))
    assert caught.value.code == "bad_message"
    assert await code_of(node.room(opponent="engines", engines=("novice", "x"))) == "bad_message"
    assert cluster.store.changes == []


async def test_a_room_is_made_under_the_newest_name(node: Node) -> None:
    node.names.renamed(Person(ANN.player, "Anna"))
    assert (await node.room()).room.owner == Person(ANN.player, "Anna")


async def test_a_player_with_forty_rooms_learns_what_to_do(limited: Node) -> None:
    for _ in range(MAX_ROOMS_OF_PLAYER):
        actor = await limited.room()
    with pytest.raises(Rejection, match="close one") as caught:
        await limited.room()
    assert (caught.value.code, caught.value.retry_ms is not None) == ("too_many_rooms", True)
    await limited.room(owner=BEN)
    await actor.request(ANN, Close("close"))
    await limited.room()


async def test_rooms_on_another_node_count_too(cluster: Cluster, limited: Node) -> None:
    other = Node(cluster, "two")
    for _ in range(MAX_ROOMS_OF_PLAYER):
        await other.room()
    assert await code_of(limited.room()) == "too_many_rooms"


async def test_a_full_server_makes_no_more_rooms(
    cluster: Cluster, limited: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noughts.app.rooms.factory.MAX_ROOMS", 1)
    actor = await Node(cluster, "two").room()
    with pytest.raises(Rejection, match="full") as caught:
        await limited.room(owner=BEN)
    assert caught.value.code == "too_many_rooms"
    await actor.request(ANN, Close("close"))
    await limited.room(owner=BEN)


async def test_limits_can_be_switched_off(node: Node) -> None:
    for _ in range(MAX_ROOMS_OF_PLAYER + 1):
        await node.room()


@pytest.mark.parametrize("method", ["submit", "rooms_of", "room_count"])
async def test_without_the_store_no_room_is_made(cluster: Cluster, limited: Node, method: str) -> None:
    cluster.store.failing.add(method)
    with pytest.raises(Rejection) as caught:
        await limited.room()
    assert (caught.value.code, caught.value.retry_ms) == ("unavailable", 1_000)
    assert len(limited.registry) == 0
