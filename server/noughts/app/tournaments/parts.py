"""The parts of a node that are about tournaments, made and wired once."""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine
from typing import Any

from noughts.app.delivery.hub import Hub
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.registry import Registry, SharedRegistry
from noughts.app.machines.repository import Repository
from noughts.app.machines.scheduler import Scheduler
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.runtime.config import Config
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.app.tournaments.actor import TournamentActor, TournamentRegistry
from noughts.app.tournaments.announcements import TournamentAnnouncements
from noughts.app.tournaments.door import TournamentDoor
from noughts.app.tournaments.feed import TournamentFeed
from noughts.app.tournaments.finder import TournamentFinder
from noughts.app.tournaments.forgetting import TournamentRenaming
from noughts.app.tournaments.machine import TournamentMachine
from noughts.app.tournaments.match_keeper import MatchKeeper
from noughts.app.tournaments.publisher import TournamentPublisher
from noughts.app.tournaments.records import MatchRecords
from noughts.room.room import Room
from noughts.store.coordination import Coordination
from noughts.store.machine_store import MachineStore


class Tournaments:
    """Everything about tournaments. ``ends`` holds the rooms of matches in which a game has ended.

    ``node_name`` tells the nodes of a shared store apart. It is empty for the only node of a store.
    """

    def __init__(
        self,
        config: Config,
        store: MachineStore,
        rooms: RoomRegistry,
        room_values: Repository[Room],
        ends: Deadlines,
        coordination: Coordination,
        hub: Hub,
        node: NodeState,
        tasks: Tasks,
        rng: random.Random,
        node_name: str,
        announcements: TournamentAnnouncements | None,
    ) -> None:
        publisher = TournamentPublisher(hub, node)
        machine = TournamentMachine(node, config.tournament_policy(), publisher, rng, node_name, announcements)
        values = Repository(machine, store, node)
        wakes = Deadlines(node.clock)
        registry_class = SharedRegistry if store.shared else Registry
        self.registry: TournamentRegistry = registry_class(TournamentActor, machine, values, wakes, node, tasks)
        self.records = MatchRecords(values)
        self._tasks = tasks
        self._free_names = config.free_names or config.hosts == "loopback"
        self.finder = TournamentFinder(store, values, self.registry, coordination, node, rng, limited=config.limits)
        keeper = self.keeper = MatchKeeper(self.registry, rooms, room_values, publisher, ends, node, tasks)
        self.renaming = TournamentRenaming(store, self.registry, self.records, keeper)
        feed = TournamentFeed(self.registry, rooms, room_values, self.records, publisher, node)
        self.scheduler = Scheduler(wakes, self.registry, node, store, tasks, keeper.attend)
        self.work: tuple[Callable[[], Coroutine[Any, Any, None]], ...] = (
            self.scheduler.wake_due,
            self.scheduler.poll_deadlines,
            keeper.carry_out_orders,
            keeper.report_ends,
            feed.send_messages,
            feed.send_boards,
        )
        """What runs as long as the server does."""

    def door(self, actor: TournamentActor) -> TournamentDoor:
        """Return what takes a client's commands for a tournament."""
        return TournamentDoor(actor, self.records, self._tasks, free_names=self._free_names)
