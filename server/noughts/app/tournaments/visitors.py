"""The visitors of a tournament on this node: its connections, and what each was sent when."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, NamedTuple

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.frames import text_frame
from noughts.app.machines.machine import Loaded
from noughts.app.runtime.node_state import NodeState
from noughts.app.tournaments.publisher import TournamentPublisher
from noughts.protocol.tournament_messages import BoardView
from noughts.protocol.tournament_views import TournamentMessages
from noughts.room.seat import Names
from noughts.store.machine_store import Line, Record
from noughts.tournament.timers import wake_at_ms
from noughts.tournament.tournament import Match, Tournament
from noughts.tournament.transition import Began, Moment, Policy

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


class TournamentVisitors:
    """The :class:`~noughts.app.machines.machine.Visitors` of one tournament."""

    def __init__(
        self,
        loaded: Loaded[Tournament],
        node: NodeState,
        policy: Policy,
        publisher: TournamentPublisher,
        rng: random.Random,
        node_name: str,
    ) -> None:
        value = loaded.value
        self.names = loaded.names
        """The name of the host. Entrants have theirs in the tournament."""
        self.connections: dict[Connection, Guest] = {}
        self.shown: dict[int, ShownBoard] = {}
        """The boards that the clients were last sent, by match."""
        self.checked_ms = 0
        """When this node last compared the rooms of all matches with the tournament."""
        self._id = value.id
        self._running = value.state == "running"
        self._node = node
        self._policy = policy
        self._publisher = publisher
        self._rng = rng
        digest = blake2b(f"{value.id} {node_name}".encode(), digest_size=2).digest()
        self._late_ms = int.from_bytes(digest) % SPREAD_MS if node_name else 0
        self._messages = TournamentMessages()
        self._behind: dict[Connection, Guest] = {}
        """The clients that have yet to be sent a change, in the order in which they wait."""
        self._called: dict[Connection, Guest] = {}
        """Those among them whose match has begun."""
        self._snapshot, self._snapshot_ms = value, 0
        if self._running:
            publisher.check_rooms(value.id)

    @property
    def idle(self) -> bool:
        return not self.connections and not self._running

    # --- time ---------------------------------------------------------------------------------------------------

    def moment(self, value: Tournament, arrived_ms: int = 0) -> Moment:
        return Moment(self._node.step_ms(), self._policy, self._rng.getrandbits(64), self._node.downtime.spans)

    def wake_at_ms(self, value: Tournament) -> int | None:
        at_ms = None if value.closed else wake_at_ms(value, self._policy)
        return None if at_ms is None else at_ms + self._late_ms

    def is_due(self, value: Tournament) -> bool:
        at_ms = None if value.closed else wake_at_ms(value, self._policy)
        return at_ms is not None and at_ms <= self._node.clock.now_ms()

    def time_runs(self, value: Tournament) -> bool:
        return value.state == "running"

    # --- changes ------------------------------------------------------------------------------------------------

    def publish(self, before: Tournament, after: Tournament, events: tuple[Any, ...], line: Line | None) -> Tournament:
        """Plan to send a stored change: now to those whose match begins, and to the others at most once a second."""
        if after is before:
            return after
        self._running = after.state == "running"
        began = {event.match for event in events if type(event) is Began}
        now_ms = self._node.clock.now_ms()
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
        self._publisher.rooms_wanted(after)
        if after.closed:
            self._publisher.forget(after.id)
            self._publisher.hub.close_room(tuple(self.connections))
        return after

    def _all_behind(self) -> None:
        if len(self._behind) < len(self.connections):
            for connection, guest in self.connections.items():
                self._behind.setdefault(connection, guest)

    def rename(self, value: Tournament, names: Names) -> None:
        """Show the host under another name, and plan to send it."""
        name = names.get(value.host.player)
        if name is not None and self.names.get(value.host.player) != name:
            self.names = {value.host.player: name}
            self._all_behind()
            self._plan_messages(self._node.clock.now_ms())

    def recorded(self, value: Tournament, records: tuple[Record, ...]) -> None:
        """Do nothing: finished matches are read from the store."""

    def publish_loaded(self, before: Tournament, after: Tournament, loaded: Loaded[Tournament] | None) -> Tournament:
        if loaded is not None:
            self.rename(after, loaded.names)
        if after.version == before.version:
            return after
        self.checked_ms = 0
        self.publish(before, after, (), None)
        if after.version < before.version:
            self._publisher.hub.restart_room(tuple(self.connections))
        return after

    def send_due(self, value: Tournament) -> None:
        """Send the tournament to some clients whose match has begun, else to some that were sent none within a second."""
        now_ms = self._node.clock.now_ms()
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
            self._publisher.send_messages(self._id, now_ms + pause_ms)
        elif self._behind:
            due_ms = min(guest.sent_ms for guest in self._behind.values()) + INTERVAL_MS
            self._publisher.send_messages(self._id, max(now_ms + pause_ms, due_ms))

    def _send(self, connection: Connection, guest: Guest, value: Tournament, now_ms: int) -> None:
        player = None if connection.person is None else connection.person.player
        connection.push(text_frame(self._messages.message(value, self.names, player)), "view")
        guest.sent_ms = now_ms
        self._behind.pop(connection, None)
        self._called.pop(connection, None)

    def has_line(self, number: int) -> bool:
        return True

    def released(self) -> None:
        self._publisher.forget(self._id)

    # --- coming and going ---------------------------------------------------------------------------------------

    def join(self, connection: Connection, value: Tournament) -> bool:
        """Add a connection, and send it the tournament."""
        now_ms = self._node.clock.now_ms()
        self.connections[connection] = guest = Guest(now_ms)
        self._send(connection, guest, value, now_ms)
        return False

    def leave(self, connection: Connection, value: Tournament) -> bool:
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
                self._publisher.send_boards(self._id, self._node.clock.now_ms())

    @property
    def most_boards(self) -> int:
        """The most boards that any client watches."""
        return max((guest.boards for guest in self.connections.values()), default=0)
