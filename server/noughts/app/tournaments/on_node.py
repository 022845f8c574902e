"""A tournament on this node: its connections, what each was sent when, and what its rooms wait for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import structlog

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.hub import Hub
from noughts.app.delivery.sender import text_frame
from noughts.app.machines.actor import Actor, ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.kind import Loaded, Step
from noughts.app.machines.on_node import Pace
from noughts.app.machines.registry import Registry
from noughts.app.runtime.logs import shown
from noughts.app.runtime.quota import NetworkQuota
from noughts.app.tournaments.announcements import TournamentAnnouncements
from noughts.protocol.tournament_messages import BoardView
from noughts.protocol.tournament_views import TournamentMessages
from noughts.room.seat import Names
from noughts.store.machine_store import Line
from noughts.tournament.commands import AnyCommand
from noughts.tournament.orders import orders
from noughts.tournament.timers import wake_at_ms
from noughts.tournament.tournament import Match, Tournament
from noughts.tournament.transition import Began, Ended, Event, Moment, Policy

INTERVAL_MS: Final = 1_000
"""The shortest time between two messages to one client, unless a match of its player begins."""
SLICE: Final = 3
"""The most clients that are sent the tournament in one turn of the event loop, apart from those whose match begins."""
SLICE_MS: Final = 10
"""The time between two such turns. So no more than 300 messages of a tournament are encoded in a second."""
CALLED: Final = 2
"""The most clients that are called to their match in one turn: each of them connects to its room at once."""
CALLED_MS: Final = 3
"""The time between two such turns. So all entrants of a large tournament are called within a second."""
SNAPSHOT_MS: Final = 250
"""For how long the same version is sent to further clients, because what they share is dear to encode."""
SPREAD_MS: Final = 200
"""Several nodes attend to a deadline one after the other, so that the first of them carries it out alone."""
OTHERS_MS: Final = 1_500
"""How much later than the node that made a change another node attends to the rooms that it needs."""

log = structlog.get_logger()


class Guest:
    """One connection to a tournament."""

    __slots__ = ("boards", "boards_frame", "sent_ms")

    def __init__(self, now_ms: int) -> None:
        self.sent_ms = now_ms
        self.boards = 0
        """How many of the leaders' boards the client watches."""
        self.boards_frame = b""
        """The boards as the client was last sent them."""


class ShownBoard(NamedTuple):
    """A board as clients were sent it. ``until_ms`` is None while the game is on, then the time until which it stays."""

    match: Match
    view: BoardView
    until_ms: int | None = None


class TournamentSurroundings(NamedTuple):
    """What all tournaments of a node share.

    ``messages`` has when a tournament's clients are next sent its message, ``boards`` when they are sent the leaders'
    boards, ``chores`` when its rooms are next attended to. ``quota`` counts the matches of each network, unless
    they have no limit. ``node_name`` is empty for the only node of a store. ``announcements`` tells the operator's webhook.
    """

    policy: Policy
    hub: Hub
    messages: Deadlines
    boards: Deadlines
    chores: Deadlines
    rng: random.Random
    quota: NetworkQuota | None = None
    node_name: str = ""
    announcements: TournamentAnnouncements | None = None


class TournamentOnNode(Actor[Tournament, AnyCommand, Moment, Event]):
    """One tournament on this node."""

    def __init__(
        self,
        surroundings: TournamentSurroundings,
        parts: ActorParts[Tournament, AnyCommand, Moment, Event],
        loaded: Loaded[Tournament],
    ) -> None:
        value, self._node = loaded.value, parts.node
        self.names = loaded.names
        """The name of the host. Entrants have theirs in the tournament."""
        self.connections: dict[Connection, Guest] = {}
        self.shown: dict[int, ShownBoard] = {}
        """The boards that the clients were last sent, by match."""
        self.checked_ms = 0
        """When this node last compared the rooms of all matches with the tournament."""
        self._around = surroundings
        self._own_version = 0
        """The newest version that this node has stored. It is the first to attend to the rooms that the version needs."""
        digest = blake2b(f"{value.id} {surroundings.node_name}".encode(), digest_size=2).digest()
        self._late_ms = int.from_bytes(digest) % SPREAD_MS if surroundings.node_name else 0
        self._messages = TournamentMessages()
        self._behind: dict[Connection, Guest] = {}
        """The clients that have yet to be sent a change, in the order in which they wait."""
        self._called: dict[Connection, Guest] = {}
        """Those among them whose match has begun."""
        self._snapshot, self._snapshot_ms = value, 0
        if value.state == "running":  # this node does not know what its rooms need
            surroundings.chores.set_sooner(value.id, self._node.clock.now_ms() + OTHERS_MS)
        super().__init__(parts, loaded)

    @property
    def resting(self) -> bool:
        return not self.connections and self.value.state != "running"

    # --- time ---------------------------------------------------------------------------------------------------

    def moment(self, now_ms: int, arrived_ms: int = 0) -> Moment:
        around, downtimes = self._around, self._node.downtime.spans
        full = around.quota is not None and around.quota.size_left(self.value.id, self.value.match_count) <= 0
        return Moment(now_ms, around.policy, around.rng.getrandbits(64), downtimes, full)

    def wake_at_ms(self) -> int | None:
        at_ms = None if self.value.closed else wake_at_ms(self.value, self._around.policy)
        return None if at_ms is None else at_ms + self._late_ms

    def pace(self) -> Pace:
        return "live" if self.value.state == "running" else "still"

    # --- changes ------------------------------------------------------------------------------------------------

    def note_stored(self, step: Step[Tournament, Event]) -> None:
        value, announcements = step.value, self._around.announcements
        self._own_version = value.version
        for event in step.events:
            if type(event) is Began:
                continue
            over = type(event) is Ended
            counts = {"entrants": len(value.entrants)} | ({"matches": value.match_count} if over else {})
            log.info(f"tournament {'ended' if over else 'started'}", id=shown(value.id), **counts)
            if announcements is not None:
                announcements.send(value, over=over)

    def publish(self, after: Tournament, events: tuple[Event, ...], line: Line | None) -> Tournament:
        """Plan to send a stored change: now to those whose match begins, and to the others at most once a second."""
        if after is self.value:
            return after
        began = {event.match for event in events if type(event) is Began}
        now_ms, around = self._node.clock.now_ms(), self._around
        if around.quota is not None:
            around.quota.note_size(after.id, after.match_count)
        players = {
            after.entrant(side).player
            for match in (after.matches if began else ())
            if match.number in began
            for side in match.sides
        }
        self._all_behind()
        if players:
            self._take_snapshot(after, now_ms)
            for connection, guest in self.connections.items():
                if connection.person is not None and connection.person.player in players:
                    self._called[connection] = guest
        self._plan_messages(now_ms)
        if orders(after):
            around.chores.set_sooner(after.id, now_ms + (0 if after.version == self._own_version else OTHERS_MS))
        if after.closed:
            self.released()
            around.hub.close_room(tuple(self.connections))
        return after

    def _all_behind(self) -> None:
        if len(self._behind) < len(self.connections):
            for connection, guest in self.connections.items():
                self._behind.setdefault(connection, guest)

    def rename(self, names: Names) -> None:
        """Show the host under another name, and plan to send it."""
        host = self.value.host.player
        name = names.get(host)
        if name is not None and self.names.get(host) != name:
            self.names = {host: name}
            self._all_behind()
            self._plan_messages(self._node.clock.now_ms())

    def publish_loaded(self, after: Tournament, loaded: Loaded[Tournament] | None) -> Tournament:
        before = self.value
        if loaded is not None:
            self.rename(loaded.names)
        if after.version == before.version:
            return after
        self.checked_ms = 0
        self.publish(after, (), None)
        if after.version < before.version:
            self._around.hub.restart_room(tuple(self.connections))
        return after

    def send_due(self) -> None:
        """Send the tournament to some clients whose match has begun, else to some that were sent none within a second."""
        value, now_ms = self.value, self._node.clock.now_ms()
        if self._called:
            self._send_snapshot(list(islice(self._called.items(), CALLED)), value, now_ms)
            self._plan_messages(now_ms, CALLED_MS)
            return
        waiting = (each for each in self._behind.items() if each[1].sent_ms + INTERVAL_MS <= now_ms)
        due = list(islice(waiting, SLICE))
        if due and now_ms >= self._snapshot_ms + SNAPSHOT_MS:
            self._take_snapshot(value, now_ms)
        self._send_snapshot(due, value, now_ms)
        self._plan_messages(now_ms, SLICE_MS if due else 0)

    def _send_snapshot(self, clients: Sequence[tuple[Connection, Guest]], value: Tournament, now_ms: int) -> None:
        for connection, guest in clients:
            self._send(connection, guest, self._snapshot, now_ms)
            if self._snapshot is not value:
                self._behind[connection] = guest  # at the end of the queue

    def _take_snapshot(self, value: Tournament, now_ms: int) -> None:
        self._snapshot, self._snapshot_ms = value, now_ms

    def _plan_messages(self, now_ms: int, pause_ms: int = 0) -> None:
        """Set when the next clients are sent the tournament."""
        if self._called:
            self._around.messages.set_sooner(self.value.id, now_ms + pause_ms)
        elif self._behind:
            due_ms = min(guest.sent_ms for guest in self._behind.values()) + INTERVAL_MS
            self._around.messages.set_sooner(self.value.id, max(now_ms + pause_ms, due_ms))

    def _send(self, connection: Connection, guest: Guest, value: Tournament, now_ms: int) -> None:
        player = None if connection.person is None else connection.person.player
        connection.push(text_frame(self._messages.message(value, self.names, player)), "view")
        guest.sent_ms = now_ms
        self._behind.pop(connection, None)
        self._called.pop(connection, None)

    def released(self) -> None:
        for deadlines in (self._around.messages, self._around.boards, self._around.chores):
            deadlines.set(self.value.id, None)

    # --- coming and going ---------------------------------------------------------------------------------------

    def add(self, connection: Connection) -> bool:
        """Add a connection, and send it the tournament."""
        now_ms = self._node.clock.now_ms()
        self.connections[connection] = guest = Guest(now_ms)
        self._send(connection, guest, self.value, now_ms)
        return False

    def remove(self, connection: Connection) -> bool:
        self.connections.pop(connection, None)
        self._behind.pop(connection, None)
        self._called.pop(connection, None)
        return False

    def watch(self, connection: Connection, boards: int) -> None:
        """Send a client so many of the leaders' boards from now on."""
        guest = self.connections.get(connection)
        if guest is not None:
            guest.boards, guest.boards_frame = boards, b""
            if boards:
                self._around.boards.set_sooner(self.value.id, self._node.clock.now_ms())

    @property
    def most_boards(self) -> int:
        """The most boards that any client watches."""
        return max((guest.boards for guest in self.connections.values()), default=0)


TournamentRegistry: TypeAlias = Registry[TournamentOnNode, Tournament]
"""The tournaments that this node holds."""
