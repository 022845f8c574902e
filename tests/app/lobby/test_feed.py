"""The lobby: which rooms are listed, when the list is sent, and when a game that its players have left goes away."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from noughts.app.lobby.feed import INTERVAL_MS, LOBBY, MAX_LISTED
from noughts.app.rooms.on_node import RoomOnNode
from noughts.protocol.messages import HumanSeatView
from noughts.room.commands import Move, Resign, Sit
from noughts.rules.by_mark import ByMark
from noughts.store.contract import StoreUnavailableError
from tests.support.node import ANN, BEN, EVE, Cluster, Node
from tests.support.screen import Screen


async def watch(node: Node) -> Screen:
    """Connect a client to the lobby."""
    screen = node.screen()
    await node.lobby.join(screen.connection, "")
    await node.settle()
    return screen


async def public_game(node: Node, **options: Any) -> tuple[RoomOnNode, Screen, Screen]:
    """Make a public game, with both players connected."""
    actor = await node.room(opponent="anyone", **options)
    x, o = node.join(actor, ANN), node.join(actor, BEN)
    await actor.request(BEN, Sit("sit", "O"))
    return actor, x, o


def ids(rooms: Any) -> list[str]:
    return [room["id"] if isinstance(room, dict) else room.id for room in rooms]


async def open_ids(node: Node, variant: str | None = None) -> list[str]:
    return ids(await node.lobby.open_rooms(variant))


async def live_ids(node: Node, variant: str | None = None) -> list[str]:
    return ids(await node.lobby.live_rooms(variant))


# --- rooms that wait ------------------------------------------------------------------------------------------------


async def test_a_new_room_is_listed_before_its_owner_comes(cluster: Cluster, node: Node) -> None:
    """The owner's page has yet to connect. Once anybody was there, the room is listed while the owner is."""
    quick, slow = await node.room(opponent="anyone"), await node.room(opponent="anyone", owner=BEN)
    assert await open_ids(node) == [slow.id, quick.id]
    node.leave(quick, node.join(quick, ANN))
    node.join(slow, EVE)
    assert await open_ids(node) == []
    node.join(quick, ANN)
    assert await open_ids(node) == [quick.id]


async def test_a_list_has_fifty_rooms_at_most(node: Node) -> None:
    rooms = [(await node.room(opponent="anyone")).id for _ in range(MAX_LISTED + 5)]
    assert await open_ids(node) == rooms[: -MAX_LISTED - 1 : -1]


async def test_rooms_without_their_owner_hide_no_other(cluster: Cluster, node: Node) -> None:
    waiting = await node.room(opponent="anyone")
    node.join(waiting, ANN)
    for _ in range(MAX_LISTED + 5):
        left = await node.room(opponent="anyone", owner=BEN)
        node.leave(left, node.join(left, BEN))
    assert await open_ids(node) == [waiting.id]


# --- games that are on ----------------------------------------------------------------------------------------------


async def test_a_game_is_listed_with_its_ply_and_its_spectators(node: Node) -> None:
    actor, _, _ = await public_game(node)
    node.join(actor)
    node.join(actor, EVE)
    await actor.request(ANN, Move("a", 0, "b2"))
    (item,) = await node.lobby.live_rooms("classic")
    assert (item.id, item.ply, item.spectators) == (actor.id, 1, 2)
    assert item.seats == ByMark(HumanSeatView(ANN.player, ANN.name), HumanSeatView(BEN.player, BEN.name))
    await actor.request(BEN, Resign("b"))
    assert await live_ids(node) == []


async def test_a_game_is_listed_while_a_player_may_come_back(cluster: Cluster, node: Node) -> None:
    """Within the grace of the last one who left. Spectators alone have nothing to watch."""
    actor, x, o = await public_game(node)
    node.join(actor)
    node.leave(actor, x)
    cluster.clock.ms += 10 * node.policy.grace_ms
    assert await live_ids(node) == [actor.id]
    node.leave(actor, o)
    cluster.clock.ms += node.policy.grace_ms - 1
    assert await live_ids(node) == [actor.id]
    cluster.clock.ms += 1
    assert await live_ids(node) == []
    node.join(actor, BEN)
    assert await live_ids(node) == [actor.id]


async def test_after_a_restart_only_games_with_somebody_there_are_listed(cluster: Cluster, node: Node) -> None:
    """To read a room is not to play in it. Two engines pause until somebody watches them."""
    game, _, _ = await public_game(node)
    engines = await node.room(opponent="engines", engines=("novice", "novice"))
    restarted = Node(Cluster(cluster.store))
    assert await live_ids(restarted) == []
    actor = await restarted.registry.open(game.id)
    assert await live_ids(restarted) == []
    restarted.join(actor, BEN)
    assert await live_ids(restarted) == [game.id]
    watched = await restarted.registry.open(engines.id)
    spectator = restarted.join(watched, ANN)
    assert await live_ids(restarted) == [engines.id, game.id]
    restarted.leave(watched, spectator)
    assert await live_ids(restarted) == [game.id]


# --- when the list is sent ------------------------------------------------------------------------------------------


async def test_the_lobby_is_sent_at_most_once_a_second(cluster: Cluster, node: Node) -> None:
    """To a newcomer too, whenever it arrives between two turns; and the newest state is never missed."""
    first = await watch(node)
    cluster.clock.ms += 600
    second = await watch(node)
    for _ in range(5):
        await node.room(opponent="anyone")
        await node.send_notices()
    assert (len(first.of("lobby")), len(second.of("lobby"))) == (1, 1)
    cluster.clock.ms += 400
    await node.send_notices()
    assert (len(first.of("lobby")), len(second.of("lobby"))) == (2, 1)
    assert len(first.of("lobby")[-1]["open"]) == 5
    cluster.clock.ms += INTERVAL_MS
    await node.send_notices()
    assert (len(first.of("lobby")), len(second.of("lobby"))) == (2, 2)
    assert len(second.of("lobby")[-1]["open"]) == 5


async def test_the_lists_are_read_every_second_while_a_client_shows_them(
    cluster: Cluster, pair: tuple[Node, Node]
) -> None:
    """The rooms of other nodes are in them. A lobby that is the same is not sent again."""
    one, two = pair
    screen = await watch(one)
    room = await two.room(opponent="anyone", owner=BEN)
    for _ in range(3):
        cluster.clock.ms += INTERVAL_MS
        await one.send_notices()
    assert [ids(message["open"]) for message in screen.of("lobby")] == [[], [room.id]]
    assert one.lobby.due.at_ms.get(LOBBY) == cluster.clock.ms + INTERVAL_MS
    one.lobby.leave(screen.connection)
    listed = cluster.store.methods.count("listed")
    cluster.clock.ms += INTERVAL_MS
    await one.send_notices()
    assert (cluster.store.methods.count("listed"), one.lobby.due.at_ms.get(LOBBY)) == (listed, None)


# --- a store that is away -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["listed", "count"])
async def test_a_lobby_that_cannot_be_read_is_unavailable(cluster: Cluster, node: Node, method: str) -> None:
    cluster.store.failing.add(method)
    screen = node.screen()
    with pytest.raises(StoreUnavailableError):
        await node.lobby.join(screen.connection, "")


async def test_a_lobby_that_could_not_be_read_is_sent_later(cluster: Cluster, node: Node) -> None:
    screen = await watch(node)
    await node.room(opponent="anyone")
    cluster.clock.ms += INTERVAL_MS
    cluster.store.down = True
    await node.send_notices()
    cluster.store.down = False
    assert len(screen.of("lobby")) == 1
    cluster.clock.ms += INTERVAL_MS
    await node.send_notices()
    assert len(screen.of("lobby")[-1]["open"]) == 1


# --- what changes with nobody doing anything ------------------------------------------------------------------------


async def test_a_client_misses_no_change_while_another_leaves(cluster: Cluster, node: Node) -> None:
    first = await watch(node)
    cluster.clock.ms += INTERVAL_MS // 2
    second = await watch(node)
    cluster.clock.ms += INTERVAL_MS // 2
    await node.room(opponent="anyone")
    gate = cluster.store.block("count")
    sending = asyncio.create_task(node.lobby.send_changes())
    await node.settle()
    node.lobby.leave(first.connection)
    gate.set()
    await node.settle()
    sending.cancel()
    cluster.clock.ms += INTERVAL_MS
    await node.send_notices()
    assert len(second.of("lobby")[-1]["open"]) == 1
