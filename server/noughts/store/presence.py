"""Presence across nodes: which players are connected to which room, on any node.

Each node reports its own connections. What a node reported holds for as long as the node lives: its beats keep it alive,
and when they stop its players count as departed at its last beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol

from noughts.room.presence import Presence

LEASE_MS: Final = 3_000
"""A node whose last beat is older than this counts as dead."""


class Attendance(NamedTuple):
    """Who is connected to a room, on all nodes: connections in all, nameless ones, and the names of players by id."""

    connections: int
    nameless: int
    players: Mapping[str, str]


NOBODY: Final = Attendance(0, 0, {})


class PresenceLeases(Protocol):
    """The presence that one node reports, and that of all nodes as this one sees it."""

    def hold(self, room: str, at_ms: int) -> None:
        """Begin to watch a room. A player of it that no node has seen is away since now."""
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

    def seen(self, room: str, player: str, at_ms: int) -> None:
        """Report a sign of life of a player without a connection: an HTTP request that took a seat."""
        ...

    def presence(self, room: str, players: Iterable[str], at_ms: int) -> Presence:
        """Return the presence of these players in a room, without their lag."""
        ...

    def attendance(self, room: str) -> Attendance:
        """Return who is connected to a room."""
        ...

    def player_count(self) -> int:
        """Return how many different players are connected to any room."""
        ...

    def beat(self, at_ms: int) -> None:
        """Keep what this node reported alive."""
        ...


class _Room:
    """What one node reported of one room."""

    __slots__ = ("connections", "departed_ms", "held_ms", "last_left_ms", "names", "players")

    def __init__(self, held_ms: int) -> None:
        self.held_ms = held_ms
        self.connections = 0
        self.players: Counter[str] = Counter()
        self.names: dict[str, str] = {}
        self.departed_ms: dict[str, int] = {}
        self.last_left_ms = 0


class LocalCluster:
    """The nodes of one process, of which a server is usually the only one."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, _Room]] = {}
        self.beats: dict[str, int] = {}


class LocalPresence:
    """:class:`PresenceLeases` in memory."""

    def __init__(self, cluster: LocalCluster, node: str) -> None:
        self._cluster = cluster
        self._node = node
        self._rooms: dict[str, _Room] = {}
        cluster.nodes[node] = self._rooms

    def hold(self, room: str, at_ms: int) -> None:
        self._rooms.setdefault(room, _Room(at_ms))

    def release(self, room: str) -> None:
        self._rooms.pop(room, None)

    def arrived(self, room: str, player: str | None, name: str, at_ms: int) -> None:
        entry = self._rooms.setdefault(room, _Room(at_ms))
        entry.connections += 1
        if player is not None:
            entry.players[player] += 1
            entry.names[player] = name

    def departed(self, room: str, player: str | None, at_ms: int) -> None:
        entry = self._rooms[room]
        entry.connections -= 1
        entry.last_left_ms = at_ms
        if player is not None:
            entry.players[player] -= 1
            if not entry.players[player]:
                del entry.players[player]
                del entry.names[player]
                entry.departed_ms[player] = at_ms

    def seen(self, room: str, player: str, at_ms: int) -> None:
        self._rooms.setdefault(room, _Room(at_ms)).departed_ms[player] = at_ms

    def presence(self, room: str, players: Iterable[str], at_ms: int) -> Presence:
        own = self._rooms.get(room)
        entries = [(own, False)] if len(self._cluster.nodes) == 1 else self._entries(room, at_ms)
        connections = last_left_ms = 0
        away: dict[str, int] = {}
        living = [entry for entry, dead in entries if entry is not None and not dead]
        for entry, dead in entries:
            if entry is not None:
                connections += 0 if dead else entry.connections
                last_left_ms = max(last_left_ms, entry.last_left_ms)
        held_ms = at_ms if own is None else own.held_ms
        for player in players:
            if not any(player in entry.players for entry in living):
                departures = [
                    entry.departed_ms[player] for entry, _ in entries if entry and player in entry.departed_ms
                ]
                away[player] = max(departures, default=held_ms)
        return Presence(away, connections=connections, last_left_ms=last_left_ms)

    def _entries(self, room: str, at_ms: int) -> list[tuple[_Room | None, bool]]:
        """What each node reported of a room, and whether the node is dead: then its players left with its last beat."""
        entries: list[tuple[_Room | None, bool]] = []
        for node, rooms in self._cluster.nodes.items():
            entry, beat_ms = rooms.get(room), self._cluster.beats.get(node, at_ms)
            dead = node != self._node and at_ms - beat_ms > LEASE_MS
            if entry is not None and dead and entry.connections:
                for player in entry.players:
                    entry.departed_ms[player] = beat_ms
                entry.players.clear()
                entry.names.clear()
                entry.connections, entry.last_left_ms = 0, beat_ms
            entries.append((entry, dead))
        return entries

    def attendance(self, room: str) -> Attendance:
        entries = [rooms[room] for rooms in self._cluster.nodes.values() if room in rooms]
        if len(entries) == 1:
            entry = entries[0]
            return Attendance(entry.connections, entry.connections - entry.players.total(), entry.names)
        names: dict[str, str] = {}
        for entry in entries:
            names.update(entry.names)
        connections = sum(entry.connections for entry in entries)
        return Attendance(connections, connections - sum(entry.players.total() for entry in entries), names)

    def player_count(self) -> int:
        rooms = [room for rooms in self._cluster.nodes.values() for room in rooms.values()]
        return len({player for room in rooms for player in room.players})

    def beat(self, at_ms: int) -> None:
        self._cluster.beats[self._node] = at_ms
