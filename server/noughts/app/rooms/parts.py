"""The parts of a node that are about rooms, made and wired once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final, NamedTuple

from noughts.app.delivery.connection import Connection
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.requests import own_base
from noughts.app.machines.actor import ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.outbox import Outbox
from noughts.app.machines.registry import MAX_ACTORS, Registry, SharedRegistry
from noughts.app.machines.repository import Repository
from noughts.app.machines.scheduler import Scheduler
from noughts.app.machines.wing import Wing
from noughts.app.rooms.admin import RoomAdmin
from noughts.app.rooms.announcements import GameAnnouncements
from noughts.app.rooms.door import RoomDoor
from noughts.app.rooms.endpoints import RecordedRooms, RoomEndpoints
from noughts.app.rooms.engine import EnginePlayer
from noughts.app.rooms.factory import RoomFactory
from noughts.app.rooms.kind import RoomKind
from noughts.app.rooms.listed_rooms import ListedRooms
from noughts.app.rooms.notices import Notifier
from noughts.app.rooms.on_node import RoomOnNode, RoomRegistry, RoomSurroundings
from noughts.app.runtime.limits import MAX_ROOMS, MAX_ROOMS_OF_ADDRESS
from noughts.app.runtime.quota import NetworkQuota
from noughts.app.search.pool import SearchPool
from noughts.protocol.export import ExportedRoom
from noughts.room.commands import Discard
from noughts.room.policy import Policy
from noughts.store.kinds import ROOM
from noughts.store.presence import PresenceReport
from noughts.store.relay import Message, NodeDied


class MostRooms(NamedTuple):
    """The maximum numbers of rooms: of the server and of an address if the server has limits, and in memory."""

    of_server: int = MAX_ROOMS
    of_address: int = MAX_ROOMS_OF_ADDRESS
    held: int = MAX_ACTORS


MOST_ROOMS: Final = MostRooms()


class Rooms(Wing):
    """Everything about rooms. ``ends`` holds the rooms of matches in which a game has ended."""

    kind = ROOM
    registry: RoomRegistry

    def __init__(
        self,
        parts: NodeParts,
        policy: Policy,
        pool: SearchPool,
        most: MostRooms = MOST_ROOMS,
    ) -> None:
        config, backend, node, tasks = parts.config, parts.backend, parts.state, parts.tasks
        store, mirror = backend.store, backend.presence
        self._mirror = mirror
        self._parts = parts
        self.policy = policy
        webhook = parts.webhook()
        announcements = None if webhook is None else GameAnnouncements(webhook, own_base(config))
        self.wakes = Deadlines(node.clock)
        self.crowds = Deadlines(node.clock)
        self.ends = Outbox()
        self.quota = quota = NetworkQuota(most_of_address=most.of_address)
        kind = RoomKind(policy, parts.names)
        self.values = Repository(kind, store, node)
        self.engine = EnginePlayer(parts, pool, policy)
        self.notifier = Notifier(parts, policy, self.values)
        self.surroundings = RoomSurroundings(
            policy, mirror, parts.hub, self.crowds, quota, self.ends, (self.engine, self.notifier), announcements
        )
        registry_class = SharedRegistry if store.shared else Registry
        self.registry = registry_class(
            partial(RoomOnNode, self.surroundings),
            ActorParts(kind, self.values, self.wakes, node, tasks),
            most=most.held,
        )
        self.listed = ListedRooms(self.values, store)
        most_rooms = most.of_server if config.limits else None
        self.factory = RoomFactory(parts, self.registry, policy, quota, most=most_rooms)
        self.scheduler = Scheduler(self.wakes, self.registry, node, store, tasks, RoomOnNode.start_errands)
        self.send_crowds = partial(self.registry.attend, self.crowds, RoomOnNode.send_crowd)
        self.work = (
            self.scheduler.wake_due,
            self.scheduler.poll_deadlines,
            self.send_crowds,
        )

    def hear(self, message: Message) -> None:
        """Take over what another node says about the presence of players."""
        if isinstance(message, PresenceReport):
            self._mirror.received(message)
            self._presence_changed((message.room,))
        elif isinstance(message, NodeDied):
            self._presence_changed(self._mirror.node_died(message.node, message.end_ms))

    def _presence_changed(self, room_ids: Iterable[str]) -> None:
        for room_id in room_ids:
            actor = self.registry.held(room_id)
            if actor is not None:
                actor.presence_changed()

    async def enter(self, id: str, connection: Connection, page: str) -> RoomDoor:
        """Let a client in to a room. Raise ``unknown_room`` or ``unavailable``."""
        actor = await self.registry.enter(id, connection, page)
        return RoomDoor(self.registry, actor, connection, self._parts.limits, self._parts.tasks)

    async def close(self, id: str) -> bool:
        """Delete a room. Return False if there is none. Raise ``unavailable``."""
        return await self.registry.close(id, _discard)

    async def begin(self) -> None:
        await self.scheduler.learn_clocks()

    async def export(self, player: str) -> list[ExportedRoom]:
        return await self._endpoints.export(player)

    def serve(self, access: AdminAccess, records: RecordedRooms) -> None:
        """Make the endpoints. ``records`` has the rooms that a tournament has recorded."""
        self._endpoints = RoomEndpoints(self._parts, self.policy, self.registry, self.factory, self.values, records)
        self.rows = (*self._endpoints.rows(), *RoomAdmin(access, self._parts, self.registry).rows())


async def _discard(actor: RoomOnNode) -> None:
    await actor.tell(Discard())
