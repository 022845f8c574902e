"""One room on two nodes: each takes commands, and both show what is stored."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.app.rooms.on_node import WAIT_MS, RoomOnNode
from noughts.errors import Rejection
from noughts.room.commands import Chat, Move, React
from noughts.room.seat import Person
from noughts.room.storage import room_from
from noughts.store.presence import LEASE_MS
from tests.support.node import ANN, BEN, EVE, Cluster, Node, open_cluster
from tests.support.screen import Screen

CELLS: Final = ("b2", "a1", "c3", "a3", "c1", "b1", "b3", "a2", "c2")


async def shared_game(pair: tuple[Node, Node]) -> tuple[RoomOnNode, RoomOnNode]:
    """Return a game on both nodes: Ann is connected to the first, Ben to the second."""
    one, two = pair
    created = await one.game()
    here, there = await one.registry.open(created.id), await two.registry.open(created.id)
    one.join(here, ANN)
    two.join(there, BEN)
    await hear_all(pair)
    return here, there


async def hear_all(pair: tuple[Node, Node]) -> None:
    """Let both nodes act on every message."""
    for _ in range(3):
        for node in pair:
            await node.hear()


async def test_both_nodes_show_moves_chat_and_reactions(pair: tuple[Node, Node]) -> None:
    here, there = await shared_game(pair)
    watcher = pair[1].join(there)
    await here.request(ANN, Move("a", 0, "b2"))
    await here.request(ANN, Chat("b", "hello"))
    await here.request(ANN, React("c", "👍"))
    await hear_all(pair)
    assert watcher.room["game"]["moves"] == ["b2"]
    assert watcher.chat == ["hello"]
    assert [message["emoji"] for message in watcher.of("reaction")] == ["👍"]
    assert "moved" in watcher.events


async def test_a_change_is_taken_over_without_a_read(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    here, there = await shared_game(pair)
    loads = cluster.store.methods.count("load")
    await here.request(ANN, Move("a", 0, "b2"))
    await hear_all(pair)
    assert (there.room.version, cluster.store.methods.count("load")) == (here.room.version, loads)


@pytest.mark.parametrize("keeper_acts", [True, False])
async def test_the_keeper_acts_at_a_deadline(cluster: Cluster, pair: tuple[Node, Node], keeper_acts: bool) -> None:
    """The other node waits for longer, and acts if the keeper does not."""
    one, two = pair
    here, there = await shared_game(pair)
    two.join(there, EVE)
    (ben,) = [connection for connection in there.connections if connection.person == BEN]
    two.registry.leave(there, ben)
    await hear_all(pair)
    keeps, waits = (one, two) if here.keeps else (two, one)
    at_ms = cluster.clock.ms + one.policy.grace_ms
    assert [node.wakes.at_ms.get(here.id) for node in (keeps, waits)] == [at_ms, at_ms + WAIT_MS]
    version = here.room.version
    cluster.clock.ms = at_ms
    for node in (waits, keeps) if keeper_acts else (waits,):
        await node.wake_rooms()
    assert here.room.version == there.room.version == version or keeper_acts
    cluster.clock.ms += WAIT_MS
    await hear_all(pair)
    await waits.wake_rooms()
    await hear_all(pair)
    assert (here.room.version, here.room.claimable) == (version + 1, ("O",))
    assert there.room == here.room


async def test_both_nodes_agree_since_when_a_player_is_away(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """From the departure that one of them recorded, and from the last beat of a node that died."""
    one, two = pair
    here, there = await shared_game(pair)
    screen = one.join(here, EVE)
    for node in pair:
        await node.heartbeat.beat()
    cluster.clock.ms += 400
    watcher = two.join(there, ANN)
    cluster.clock.ms += 300
    two.leave(there, watcher)
    await hear_all(pair)
    assert here.presence.is_here(ANN.player)
    cluster.clock.ms += 300
    last_beat_ms = cluster.clock.ms
    await one.heartbeat.beat()
    for _ in range(4):
        cluster.clock.ms += LEASE_MS // 3
        await two.heartbeat.beat()
    await two.hear()
    assert there.presence.away_since_ms(ANN.player) == last_beat_ms
    await one.heartbeat.beat()  # it lives: its players are back
    await hear_all(pair)
    assert there.presence.is_here(ANN.player)
    assert here.presence.away == there.presence.away
    one.leave(here, screen)


# --- whatever happens -------------------------------------------------------------------------------------------------


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("move", "chat", "hear", "reconnect", "join", "leave", "beat", "wake", "wait")),
        st.sampled_from((0, 1)),
        st.sampled_from((ANN, BEN, EVE)),
    ),
    max_size=40,
)


class Drive:
    """Two nodes that carry out made-up steps. Messages are late, because each node hears only when a step says so."""

    def __init__(self, cluster: Cluster, pair: tuple[Node, Node], room_id: str) -> None:
        self.cluster = cluster
        self.pair = pair
        self.room_id = room_id
        self.number = 0
        self.visits: list[tuple[Node, RoomOnNode, Screen]] = []

    async def step(self, what: str, node: Node, person: Person) -> None:
        self.number += 1
        actor = await node.registry.open(self.room_id)
        ply = 0 if actor.room.game is None else actor.room.game.history.ply
        try:
            if what == "move":
                await actor.request(person, Move(f"m{self.number}", ply, CELLS[ply % len(CELLS)]))
            elif what == "chat":
                await actor.request(person, Chat(f"c{self.number}", f"line {self.number}"))
        except Rejection:
            pass
        if what == "hear":
            await node.hear()
        elif what == "reconnect":
            node.link.reconnect()
        elif what == "join":
            self.visits.append((node, actor, node.join(actor, person)))
        elif what == "leave" and self.visits:
            left, its_actor, screen = self.visits.pop()
            left.leave(its_actor, screen)
        elif what == "beat":
            await node.heartbeat.beat()
            node.registry.drop_unattended()
        elif what == "wake":
            await node.wake_rooms()
        elif what == "wait":
            self.cluster.clock.ms += 1_700

    async def end(self) -> None:
        """Check that both nodes show the stored room once they have received every message, and that nothing moves then."""
        for node in self.pair:
            await node.heartbeat.beat()
        await hear_all(self.pair)
        for node in self.pair:
            await node.wake_rooms()
        await hear_all(self.pair)
        stored = await self.cluster.store.load(self.room_id)
        assert stored is not None
        for _ in range(3):
            for node in self.pair:
                actor = await node.registry.open(self.room_id)
                actor.wake()
                await hear_all(self.pair)
                assert actor.room == room_from(stored.data)
        presences = [node.registry.held(self.room_id).presence for node in self.pair]  # type: ignore[union-attr]
        assert presences[0] == presences[1]


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_both_nodes_end_on_the_stored_version(steps: list[tuple[str, int, Person]]) -> None:
    """And no node changes a room only because the other did."""

    async def drive() -> None:
        with tempfile.TemporaryDirectory() as directory:
            async with open_cluster(Path(directory)) as cluster:
                pair = Node(cluster, "one", shared=True), Node(cluster, "two", shared=True)
                driven = Drive(cluster, pair, (await pair[0].game()).id)
                for what, number, person in steps:
                    await driven.step(what, pair[number], person)
                await driven.end()
                for node in pair:
                    await node.hub.stop()

    asyncio.run(drive())
