"""Making rooms, within the limits of number."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.rooms.factory import MAX_TRIES
from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.runtime.limits import MAX_ROOMS, MAX_ROOMS_OF_PLAYER
from noughts.errors import Rejection
from noughts.room.commands import Close
from noughts.room.room import mark_of
from noughts.store.contract import StoreUnavailableError
from tests.support.node import ANN, BEN, Cluster, Node
from tests.support.replies import code_of
from tests.support.screen import ADDRESS


@pytest.fixture
def limited(cluster: Cluster) -> Node:
    return Node(cluster, most_rooms=MAX_ROOMS)


async def test_a_room_is_stored_and_held(cluster: Cluster, node: Node) -> None:
    actor = await node.room()
    assert node.registry.held(actor.id) is actor
    assert await cluster.store.load(actor.id) is not None
    assert (actor.room.version, actor.room.owner, actor.room.created_ms) == (1, ANN.nameless, cluster.clock.ms)
    assert actor.room.invite


async def test_without_a_mark_the_owners_is_random(node: Node) -> None:
    marks = [mark_of((await node.room(mark=None)).room, ANN.player) for _ in range(20)]
    assert set(marks) == {"X", "O"}


async def test_an_engine_needs_a_level_of_its_variant(cluster: Cluster, node: Node) -> None:
    with pytest.raises(Rejection, match="at: ") as caught:
        await node.room(opponent="engine", engines=("grandmaster",))
    assert caught.value.code == "bad_message"
    assert await code_of(node.room(opponent="engines", engines=("novice", "x"))) == "bad_message"
    assert cluster.store.changes == []


async def test_a_player_with_forty_rooms_learns_what_to_do(limited: Node) -> None:
    for _ in range(MAX_ROOMS_OF_PLAYER):
        actor = await limited.room()
    with pytest.raises(Rejection, match="close one") as caught:
        await limited.room()
    assert (caught.value.code, caught.value.retry_ms is not None) == ("too_many_rooms", True)
    await limited.room(owner=BEN)
    await actor.request(ANN, Close("close"))
    await limited.room()


async def test_a_full_server_makes_no_more_rooms(cluster: Cluster) -> None:
    limited = Node(cluster, most_rooms=1)
    actor = await Node(cluster, "two").room()
    with pytest.raises(Rejection, match="full") as caught:
        await limited.room(owner=BEN)
    assert caught.value.code == "too_many_rooms"
    await actor.request(ANN, Close("close"))
    await limited.room(owner=BEN)


OTHER = "198.51.100.9"


async def test_a_room_that_no_client_joins_has_a_short_life(node: Node) -> None:
    joined, unjoined = await node.room(), await node.room()
    node.leave(joined, node.join(joined))
    node.clock.ms += node.policy.unjoined_ms
    await node.wake_rooms()
    assert (joined.closed, unjoined.closed) == (False, True)


async def test_an_address_has_a_number_of_rooms(cluster: Cluster) -> None:
    """The server deletes its emptiest room if it was never played in. Otherwise the player learns what to do."""
    limited = Node(cluster, most_rooms=MAX_ROOMS, most_of_address=2)
    played, watched = await limited.game(), await limited.room()
    screen = limited.join(watched)
    with pytest.raises(Rejection, match="of your network: close one") as caught:
        await limited.room()
    assert caught.value.code == "too_many_rooms"
    await limited.room(address=OTHER)
    limited.leave(watched, screen)
    await limited.room()
    assert (played.closed, watched.closed) == (False, True)


async def test_few_rooms_are_tried_when_one_is_to_make_way(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them may have to be read from the store."""
    limited = Node(cluster, most_rooms=MAX_ROOMS, most_of_address=MAX_TRIES + 2)
    for _ in range(MAX_TRIES + 2):
        await limited.game()
    tried, open_room = [], limited.registry.open

    async def counted(room_id: str) -> RoomOnNode:
        tried.append(room_id)
        return await open_room(room_id)

    monkeypatch.setattr(limited.registry, "open", counted)
    assert await code_of(limited.room()) == "too_many_rooms"
    assert len(tried) == MAX_TRIES


async def test_rooms_made_at_the_same_time_count(cluster: Cluster) -> None:
    limited = Node(cluster, most_rooms=MAX_ROOMS, most_of_address=2)
    answers = await asyncio.gather(*[limited.room() for _ in range(4)], return_exceptions=True)
    assert sum(isinstance(answer, Rejection) for answer in answers) == len(limited.quota) == 2


async def test_the_emptiest_room_of_the_heaviest_makes_way(cluster: Cluster) -> None:
    """On a full server, a newcomer gets a room as long as a network has more than the newcomer's own."""
    limited = Node(cluster, most_rooms=5)
    watched, played, first, second, third = [
        await limited.room(), await limited.game(), *[await limited.room() for _ in range(3)]
    ]  # fmt: skip
    limited.join(watched)
    for closed in (first, second):
        await limited.room(address=OTHER, owner=BEN)
        assert closed.closed
    assert await code_of(limited.room(address=OTHER, owner=BEN)) == "too_many_rooms"
    assert [actor.closed for actor in (watched, played, third)] == [False, False, False]


async def test_a_room_closed_elsewhere_makes_no_way(cluster: Cluster) -> None:
    """The next one is closed instead, and the room is not counted any more."""
    one, two = [Node(cluster, name, shared=True, most_rooms=4) for name in ("one", "two")]
    gone = await one.room()
    others = [await one.room() for _ in range(3)]
    one.registry.drop_unattended()
    one.registry.drop_unattended()
    await (await two.registry.open(gone.id)).request(ANN, Close("close"))
    await two.room()
    await one.room(address=OTHER, owner=BEN)
    assert gone.id not in one.quota.ids_of(ADDRESS)
    assert len(one.quota.ids_of(ADDRESS)) == len(others) - 1


@pytest.mark.parametrize("method", ["submit", "ids_of", "count"])
async def test_without_the_store_no_room_is_made(cluster: Cluster, limited: Node, method: str) -> None:
    cluster.store.failing.add(method)
    with pytest.raises(Rejection if method == "submit" else StoreUnavailableError):
        await limited.room()
    assert len(limited.registry) == len(limited.quota) == 0
