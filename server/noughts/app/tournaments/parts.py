"""The parts of a node that are about tournaments, made and wired once."""

from __future__ import annotations

from functools import partial

from noughts.app.delivery.connection import Connection
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.requests import own_base
from noughts.app.machines.actor import ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.registry import Registry, SharedRegistry
from noughts.app.machines.repository import Repository
from noughts.app.machines.scheduler import Scheduler
from noughts.app.machines.wing import Wing
from noughts.app.rooms.parts import Rooms
from noughts.app.runtime.limits import MAX_MATCHES_OF_ADDRESS, MAX_TOURNAMENTS_OF_ADDRESS
from noughts.app.runtime.quota import NetworkQuota
from noughts.app.tournaments.announcements import TournamentAnnouncements
from noughts.app.tournaments.door import TournamentDoor
from noughts.app.tournaments.endpoints import TournamentEndpoints
from noughts.app.tournaments.feed import TournamentFeed
from noughts.app.tournaments.finder import TournamentFinder
from noughts.app.tournaments.kind import TournamentKind
from noughts.app.tournaments.match_keeper import MatchKeeper
from noughts.app.tournaments.on_node import TournamentOnNode, TournamentRegistry, TournamentSurroundings
from noughts.app.tournaments.records import MatchRecords
from noughts.errors import Rejection
from noughts.protocol.export import ExportedTournament
from noughts.protocol.tournament_views import exported_tournament
from noughts.store.kinds import TOURNAMENT
from noughts.store.machine_store import MachineStore
from noughts.tournament.commands import Forget


class Tournaments(Wing):
    """Everything about tournaments."""

    kind = TOURNAMENT
    registry: TournamentRegistry

    def __init__(self, parts: NodeParts, rooms: Rooms) -> None:
        config, backend, node, rng = parts.config, parts.backend, parts.state, parts.rng
        store: MachineStore = backend.store.machines(TOURNAMENT)
        node_name = backend.presence.node if backend.store.shared else ""  # empty for the only node of a store
        webhook = parts.webhook()
        announcements = None if webhook is None else TournamentAnnouncements(webhook, own_base(config))
        policy, clock = config.tournament_policy(), node.clock
        most, most_size = MAX_TOURNAMENTS_OF_ADDRESS, MAX_MATCHES_OF_ADDRESS
        quota = NetworkQuota(most_of_address=most, most_size=most_size) if config.limits else None
        around = TournamentSurroundings(
            policy,
            parts.hub,
            Deadlines(clock),
            Deadlines(clock),
            Deadlines(clock),
            rng,
            quota,
            node_name,
            announcements,
        )
        kind = TournamentKind(policy, parts.names)
        values = self._values = Repository(kind, store, node)
        wakes = Deadlines(node.clock)
        registry_class = SharedRegistry if backend.store.shared else Registry
        self.registry = registry_class(
            partial(TournamentOnNode, around), ActorParts(kind, values, wakes, node, parts.tasks)
        )
        self.records = MatchRecords(values)
        self._parts = parts
        self._free_names = config.free_names or config.hosts == "loopback"
        keeper = self.keeper = MatchKeeper(parts, self.registry, rooms, around)
        self.finder = TournamentFinder(parts, values, self.registry, keeper.delete, quota)
        feed = TournamentFeed(node, self.registry, rooms, self.records, around)
        self._scheduler = Scheduler(wakes, self.registry, node, store, parts.tasks, keeper.attend)
        self.work = (
            self._scheduler.wake_due,
            self._scheduler.poll_deadlines,
            keeper.carry_out_orders,
            keeper.report_ends,
            partial(self.registry.attend, around.messages, TournamentOnNode.send_due),
            feed.send_boards,
        )

    async def enter(self, id: str, connection: Connection, page: str) -> TournamentDoor:
        """Let a client in to a tournament. Raise ``unknown_tournament`` or ``unavailable``."""
        if not self._parts.config.tournaments:
            raise Rejection("unknown_tournament", "This server has no tournaments.")
        registry = self.registry
        actor = await registry.enter(id, connection, page)
        return TournamentDoor(registry, actor, connection, self.records, self._parts.tasks, free_names=self._free_names)

    async def close(self, id: str) -> bool:
        """Delete a tournament with the rooms of its matches. Return False if there is none. Raise ``unavailable``."""
        return await self.registry.close(id, self.keeper.delete)

    async def forget(self, player: str) -> None:
        """Show a deleted player as someone in every tournament. Raise ``unavailable`` if some may have the name still."""
        for id in await self._values.store.ids_of(player):
            try:
                await (await self.registry.open(id)).tell(Forget(player))
            except Rejection as rejection:
                if rejection.code == "unavailable":
                    raise

    async def export(self, player: str) -> list[ExportedTournament]:
        """Return the tournaments that a player entered or made. Raise ``unavailable``."""
        values = [await self._values.load(id) for id in await self._values.store.ids_of(player)]
        return [exported_tournament(value, player) for value in values if value is not None]

    async def begin(self) -> None:
        await self._scheduler.learn_clocks()

    def serve(self, access: AdminAccess) -> None:
        """Make the endpoints."""
        self.rows = TournamentEndpoints(self._parts, self.registry, self.finder, self.records, access).rows()
