"""One node without its sockets: the parts around the rooms, made as the server makes them, on a clock that stands still."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.lobby.parts import Lobby
from noughts.app.machines.node_parts import node_parts
from noughts.app.machines.registry import MAX_ACTORS
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.node.store_watch import StoreWatch
from noughts.app.other_nodes import OtherNodes
from noughts.app.players.passes import Passes
from noughts.app.rooms.endpoints import RecordedRooms
from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.rooms.parts import MostRooms, Rooms
from noughts.app.runtime.admin_secret import AdminSecret
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import MAX_ROOMS, MAX_ROOMS_OF_ADDRESS
from noughts.app.search.pool import SearchPool
from noughts.engine.levels import level_names
from noughts.room.clock import ClockSetting
from noughts.room.commands import Move, Sit
from noughts.room.policy import Policy
from noughts.room.room import RoomGame
from noughts.room.seat import SOMEONE, Person
from noughts.room.storage import room_bytes, room_from
from noughts.rules.variant import VARIANTS
from noughts.store.backend import Backend
from noughts.store.contract import Store, StoredPlayer
from noughts.store.coordination import LocalCoordination
from noughts.store.machine_store import Change
from noughts.store.presence import PresenceMirror
from noughts.store.relay import Relay, SingleNodeRelay
from tests.support.exchange import Exchange, Link
from tests.support.flaky_store import FlakyStore
from tests.support.manual_clock import ManualClock
from tests.support.manual_pool import ManualPool
from tests.support.screen import ADDRESS, Screen

CLASSIC = VARIANTS["classic"]
ANN, BEN, EVE = Person("p_ann", "Ann"), Person("p_ben", "Ben"), Person("p_eve", "Eve")
LEVELS = {variant.key: level_names(variant) for variant in VARIANTS.values()}
THINK_MS = 500


class Cluster:
    """What the nodes of one test share."""

    def __init__(self, store: FlakyStore) -> None:
        self.store = store
        self.clock = ManualClock()
        self.exchange = Exchange(store, self.clock)
        self.coordination = LocalCoordination(self.clock.now_s)


class Node:
    """The parts of one node, by name. Nothing runs by itself: a test says when deadlines and messages are looked at.

    With ``shared``, the node knows that the store has other nodes, and is linked to them. Otherwise it takes itself for the
    only one.
    """

    def __init__(
        self,
        cluster: Cluster,
        name: str = "one",
        *,
        shared: bool = False,
        most_rooms: int | None = None,
        most_of_address: int = MAX_ROOMS_OF_ADDRESS,
        most_actors: int = MAX_ACTORS,
        think_ms: int = THINK_MS,
        **policy: Any,
    ) -> None:
        self.store, self.clock = cluster.store, cluster.clock
        self.relay: Relay = SingleNodeRelay()
        self.link = Link(cluster.exchange, name)
        self.mirror = PresenceMirror(name)
        store: Store = cluster.store
        if shared:
            self.relay = self.link = cluster.exchange.link(name)
            self.mirror, store = PresenceMirror(name, self.link), self.link.as_store()
        self.policy = Policy(**{"levels": LEVELS, **policy})
        self.pool = ManualPool()
        config = Config(think_ms=think_ms, limits=most_rooms is not None)
        backend = Backend(store, self.mirror, self.relay, cluster.coordination)
        self.parts = parts = node_parts(config, backend, self.clock, random.Random(name))
        self.tasks, self.hub, self.metrics, self.state = parts.tasks, parts.hub, parts.metrics, parts.state
        self.names, self.guests, self.bans, self.downtime = parts.names, parts.guests, parts.bans, parts.state.downtime
        most = MostRooms(most_rooms or MAX_ROOMS, most_of_address, most_actors)
        self.rooms = rooms = Rooms(parts, self.policy, cast(SearchPool, self.pool), most)
        self.registry, self.repository, self.factory = rooms.registry, rooms.values, rooms.factory
        self.listed = rooms.listed
        self.quota = rooms.quota
        self.engine, self.scheduler, self.wakes, self.crowds = rooms.engine, rooms.scheduler, rooms.wakes, rooms.crowds
        self.heartbeat = Heartbeat(store, self.state, self.mirror, self.registry, self.hub, name)
        lobby = Lobby(parts, rooms, self.heartbeat)
        self.lobby, self.matchmaking = lobby.feed, lobby.matchmaking
        self.store_watch = StoreWatch(parts, (self.registry,), self.heartbeat)
        roll_call = RollCall(name, self.hub, self.names, self.relay, self.heartbeat, parts.limits.bites)
        admin = AdminAccess(config, AdminSecret(Path(), "", shared=False), Passes(store, self.clock), parts.limits)
        rooms.serve(admin, cast(RecordedRooms, None))
        wings = (rooms, lobby)  # the node has no tournaments
        self.other_nodes = OtherNodes(parts, wings, roll_call)

    # --- letting things happen ----------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Let what goes on end, unless it waits for the store that a test holds up."""
        for _ in range(8):  # no chain of requests to the store is longer
            await self.store.settle()

    async def wake_rooms(self) -> None:
        """Wake the rooms that are due by now."""
        await self._run(self.scheduler.wake_due())

    async def send_notices(self) -> None:
        """Send the crowds, and the lobby, that are due by now."""
        await self._run(self.rooms.send_crowds())
        await self._run(self.lobby.send_changes())

    async def hear(self) -> None:
        """Act on what other nodes have sent by now."""
        await self._run(self.other_nodes.hear())

    async def probe_store(self) -> None:
        """Ask a store that was away whether it is back; go on in every room if it is."""
        await self._run(self.store_watch.probe())

    async def _run(self, endless: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(endless)
        await self.settle()
        task.cancel()
        await asyncio.wait([task])

    # --- rooms and players --------------------------------------------------------------------------------------

    async def room(self, clock: ClockSetting | None = None, owner: Person = ANN, **options: Any) -> RoomOnNode:
        """Make a room for a friend, or as the options say, with its owner at X."""
        fields: dict[str, Any] = {
            "opponent": "friend",
            "mark": "X",
            "engines": (),
            "visibility": None,
            "address": ADDRESS,
            **options,
        }
        variant = fields.pop("variant", CLASSIC)
        return await self.factory.create(owner, variant, clock=clock, **fields)

    async def game(self, clock: ClockSetting | None = None, **options: Any) -> RoomOnNode:
        """Make a game that is on, Ann at X and Ben at O, neither connected and no move made."""
        actor = await self.room(clock, **options)
        await actor.request(BEN, Sit("sit", "O", actor.room.invite))
        return actor

    async def timed_game(self, clock: ClockSetting) -> RoomOnNode:
        """Make a game on a clock, Ann to move, both first moves made."""
        actor = await self.game(clock)
        await actor.request(ANN, Move("one", 0, "b2"))
        await actor.request(BEN, Move("two", 1, "a1"))
        return actor

    async def rename(self, person: Person, name: str) -> None:
        """Give a player another name, as the endpoint does. For ``someone``, delete the account."""
        guests = self.guests
        renamed = await (guests.delete(person.player) if name == SOMEONE else guests.rename(person.player, name))
        await self.registry.rename({person.player: renamed.name})

    def screen(self, person: Person | None = None, address: str = ADDRESS) -> Screen:
        """Connect a client that is in no room yet."""
        screen = Screen(self.hub.flusher, self.clock.now_s(), None, address)
        self.hub.add(screen.connection)
        if person is not None:
            self.hub.identify(screen.connection, person)
        return screen

    def join(self, actor: RoomOnNode, person: Person | None = None) -> Screen:
        """Connect a client to a room."""
        screen = self.screen(person)
        actor.join(screen.connection)
        return screen

    def leave(self, actor: RoomOnNode, screen: Screen) -> None:
        """Disconnect a client from a room."""
        self.registry.leave(actor, screen.connection)
        self.hub.remove(screen.connection)


def game_of(actor: RoomOnNode) -> RoomGame:
    """Return the game of a room that has one."""
    assert actor.room.game is not None
    return actor.room.game


@asynccontextmanager
async def open_cluster(directory: Path) -> AsyncIterator[Cluster]:
    """Open a store for the nodes of a test."""
    store = FlakyStore(directory / "noughts.db")
    await store.open()
    for person in (ANN, BEN, EVE):
        await store.add_player(StoredPlayer(person.player, person.name, 0), person.player.encode())
    try:
        yield Cluster(store)
    finally:
        store.release_commits()
        await store.close()


async def raise_version(cluster: Cluster, room_id: str, data: bytes | None = None) -> None:
    """Change a stored room past every node: to the next version of itself, or to other bytes."""
    stored = await cluster.store.load(room_id)
    assert stored is not None
    version = stored.version + 1
    if data is None:
        data = room_bytes(replace(room_from(stored.data), version=version))
    await cluster.store.commit_at_once(Change(room_id, stored.version, version, data))


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """Open a store, and a clock that stands still, for one or more nodes."""
    async with open_cluster(tmp_path) as opened:
        yield opened


@pytest.fixture
async def node(cluster: Cluster) -> AsyncIterator[Node]:
    """Wire the only node of a cluster."""
    only = Node(cluster)
    yield only
    await only.hub.stop()


@pytest.fixture
async def pair(cluster: Cluster) -> AsyncIterator[tuple[Node, Node]]:
    """Wire two nodes of one store."""
    nodes = Node(cluster, "one", shared=True), Node(cluster, "two", shared=True)
    yield nodes
    for each in nodes:
        await each.hub.stop()
