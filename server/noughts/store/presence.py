"""Presence across nodes: which players are connected to which room, on any node.

Each node reports its own connections, and renews its reports with beats. When the beats of a node stop, its players count as
departed at the last beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol

from noughts.room.presence import Presence

LEASE_MS: Final = 3_000
"""A node whose last beat is older than this counts as dead."""


class Attendance(NamedTuple):
    """The connections to a room on all nodes: their number, how many are nameless, and the names of players by id."""

    connections: int
    nameless: int
    players: Mapping[str, str]


NOBODY: Final = Attendance(0, 0, {})


class PresenceLeases(Protocol):
    """One node's access to presence: it reports its own connections, and reads those of all nodes."""

    def hold(self, room: str, at_ms: int) -> None:
        """Begin to watch a room. A player whom no node has seen counts as away from now on."""
        ...

    def release(self, room: str) -> None:
        """Stop watching a room that has no connection on this node."""
        ...

    def arrived(self, room: str, player: str | None, name: str, at_ms: int) -> None:
        """Report a new connection; ``player`` is None for a nameless spectator."""
        ...

    def departed(self, room: str, player: str | None, at_ms: int) -> None:
        """Report that a connection closed."""
        ...

    def renamed(self, room: str, player: str, name: str) -> None:
        """Change a player's name in the attendance of a room, on all nodes."""
        ...

    def seen(self, room: str, player: str, at_ms: int) -> None:
        """Report a sign of life of a player without a connection: an HTTP request that took a seat."""
        ...

    def expect(self, room: str, player: str, until_ms: int) -> None:
        """Note that a player is on the way to a room until a time: the player's page is about to connect."""
        ...

    def is_expected(self, room: str, player: str, at_ms: int) -> bool:
        """Return whether a player is on the way to a room."""
        ...

    def presence(self, room: str, players: Iterable[str], at_ms: int) -> Presence:
        """Return the presence of these players in a room, without their lag."""
        ...

    def attendance(self, room: str) -> Attendance:
        """Return the attendance of a room."""
        ...

    def player_count(self) -> int:
        """Return how many different players are connected to any room."""
        ...

    def beat(self, at_ms: int) -> None:
        """Renew the reports of this node."""
        ...


class _Report:
    """The connections of one node to one room."""

    __slots__ = ("connections", "names", "players")

    def __init__(self) -> None:
        self.connections = 0
        self.players: Counter[str] = Counter()
        self.names: dict[str, str] = {}


class _Room:
    """The presence of one room while any node watches it: the reports by node, and the times of departures."""

    __slots__ = ("departed_ms", "expected_until_ms", "held_ms", "last_left_ms", "reports")

    def __init__(self, held_ms: int) -> None:
        self.held_ms = held_ms
        self.last_left_ms = 0
        self.departed_ms: dict[str, int] = {}
        self.expected_until_ms: dict[str, int] = {}
        self.reports: dict[str, _Report] = {}


class LocalCluster:
    """The state that the nodes of one process share. Outside tests there is one node."""

    def __init__(self) -> None:
        self.rooms: dict[str, _Room] = {}
        self.beats_ms: dict[str, int] = {}

    def died_ms(self, node: str, at_ms: int) -> int | None:
        """Return the last beat of a node whose lease is over; None for a node that lives or has never sent a beat."""
        beat_ms = self.beats_ms.get(node, at_ms)
        return beat_ms if at_ms - beat_ms > LEASE_MS else None

    def living(self, room: _Room) -> list[_Report]:
        """Return the reports of the nodes that live, as of the newest beat of any."""
        at_ms = max(self.beats_ms.values(), default=0)
        return [report for node, report in room.reports.items() if self.died_ms(node, at_ms) is None]


class LocalPresence:
    """:class:`PresenceLeases` in memory."""

    def __init__(self, cluster: LocalCluster, node: str) -> None:
        self._cluster = cluster
        self._node = node

    def hold(self, room: str, at_ms: int) -> None:
        self._held(room, at_ms)

    def _held(self, room: str, at_ms: int) -> tuple[_Room, _Report]:
        entry = self._cluster.rooms.get(room)
        if entry is None:
            entry = self._cluster.rooms[room] = _Room(at_ms)
        report = entry.reports.get(self._node)
        if report is None:
            report = entry.reports[self._node] = _Report()
        return entry, report

    def release(self, room: str) -> None:
        entry = self._cluster.rooms.get(room)
        if entry is not None:
            entry.reports.pop(self._node, None)
            if not entry.reports:
                del self._cluster.rooms[room]

    def arrived(self, room: str, player: str | None, name: str, at_ms: int) -> None:
        _, report = self._held(room, at_ms)
        report.connections += 1
        if player is not None:
            report.players[player] += 1
            report.names[player] = name

    def departed(self, room: str, player: str | None, at_ms: int) -> None:
        entry = self._cluster.rooms[room]
        report = entry.reports[self._node]
        report.connections -= 1
        entry.last_left_ms = max(entry.last_left_ms, at_ms)
        if player is not None:
            report.players[player] -= 1
            if not report.players[player]:
                del report.players[player]
                del report.names[player]
                self._left(entry, player, at_ms)

    def seen(self, room: str, player: str, at_ms: int) -> None:
        self._left(self._held(room, at_ms)[0], player, at_ms)

    def _left(self, entry: _Room, player: str, at_ms: int) -> None:
        entry.departed_ms[player] = max(entry.departed_ms.get(player, 0), at_ms)
        entry.expected_until_ms.pop(player, None)

    def expect(self, room: str, player: str, until_ms: int) -> None:
        self._held(room, until_ms)[0].expected_until_ms[player] = until_ms

    def is_expected(self, room: str, player: str, at_ms: int) -> bool:
        entry = self._cluster.rooms.get(room)
        return entry is not None and at_ms < entry.expected_until_ms.get(player, 0)

    def renamed(self, room: str, player: str, name: str) -> None:
        entry = self._cluster.rooms.get(room)
        for report in () if entry is None else entry.reports.values():
            if player in report.names:
                report.names[player] = name

    def presence(self, room: str, players: Iterable[str], at_ms: int) -> Presence:
        entry = self._cluster.rooms.get(room)
        if entry is None:
            return Presence(dict.fromkeys(players, at_ms))
        living: list[_Report] = []
        dead: list[tuple[int, _Report]] = []
        for node, report in entry.reports.items():
            died_ms = None if node == self._node else self._cluster.died_ms(node, at_ms)
            if died_ms is None:
                living.append(report)
            elif report.connections:
                dead.append((died_ms, report))
        away = {
            player: max(
                entry.departed_ms.get(player, entry.held_ms),
                *[died_ms for died_ms, report in dead if player in report.players],
                0,
            )
            for player in players
            if not any(player in report.players for report in living)
        }
        last_left_ms = max(entry.last_left_ms, *[died_ms for died_ms, _ in dead], 0)
        return Presence(away, connections=sum([report.connections for report in living]), last_left_ms=last_left_ms)

    def attendance(self, room: str) -> Attendance:
        entry = self._cluster.rooms.get(room)
        if entry is None:
            return NOBODY
        reports = self._cluster.living(entry)
        if len(reports) == 1:
            report = reports[0]
            return Attendance(report.connections, report.connections - report.players.total(), report.names)
        names: dict[str, str] = {}
        for report in reports:
            names.update(report.names)
        connections = sum(report.connections for report in reports)
        return Attendance(connections, connections - sum(report.players.total() for report in reports), names)

    def player_count(self) -> int:
        rooms = self._cluster.rooms.values()
        return len({player for room in rooms for report in self._cluster.living(room) for player in report.players})

    def beat(self, at_ms: int) -> None:
        self._cluster.beats_ms[self._node] = at_ms
