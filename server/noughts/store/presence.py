"""Presence across nodes: which players are connected to which room, on any node.

Each node reports its own connections to a room. A shared store keeps the reports, together with the newest departure of each
player, as long as the room. It sends each report to the other nodes that hold the room. So every node reads presence from
memory, and all nodes compute the same start of an absence: the newest departure that any node recorded. The players of a
node that stops depart then. When the store gives up a node, its players departed at its last beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from noughts.room.presence import Presence

MAX_DEPARTURES: Final = 100
"""The most departures of players that are kept for a room, apart from those of its owner and the holders of its seats."""
LEASE_MS: Final = 3_000
"""A shared store gives up a node whose last beat is older than this."""


class Attendance(NamedTuple):
    """Connections of one node or of all to a room: their number, how many are nameless, and the names of players by id.

    ``hidden`` has the players who do not see the page on any of these connections.
    """

    connections: int
    nameless: int
    players: Mapping[str, str]
    hidden: Sequence[str] = ()


NO_ATTENDANCE: Final = Attendance(0, 0, {})
"""The attendance of a room without a connection, and of a node that has left it."""


_NOBODY: Final[frozenset[str]] = frozenset()


class RoomPresence(NamedTuple):
    """The presence of a room as a shared store keeps it.

    ``since_ms`` is when a node first held the room. A player whom no node has seen counts as away since then.
    ``last_left_ms`` is when a connection last closed, 0 if none has. ``departed_ms`` is the newest departure of each player.
    ``reports`` has the reports of the living nodes.
    """

    since_ms: int
    last_left_ms: int
    departed_ms: Mapping[str, int]
    reports: Mapping[str, Attendance]


class PresenceReport(NamedTuple):
    """A node's report of its connections to a room. It replaces the node's earlier report.

    The departures are those that the node recorded; of two for one player, the newer counts.
    """

    room: str
    node: str
    report: Attendance
    departed_ms: Mapping[str, int]
    last_left_ms: int


class PresenceSender(Protocol):
    """Sends this node's reports to a shared store, in order with its other requests."""

    def send(self, report: PresenceReport) -> None:
        """Store a report, and send it to the other nodes that hold the room."""
        ...


class _OwnAttendance:
    """The connections of this node to one room."""

    __slots__ = ("connections", "counts", "hidden_counts", "nameless", "players")

    def __init__(self) -> None:
        self.connections = 0
        self.nameless = 0
        self.players: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.hidden_counts: Counter[str] = Counter()
        """How many connections of a player are hidden, of those who have one."""

    @property
    def hidden(self) -> tuple[str, ...]:
        """The players who do not see the page on any connection to this node."""
        hidden = [player for player, count in self.hidden_counts.items() if count == self.counts[player]]
        return tuple(sorted(hidden))


class _Room:
    """The presence of one room that this node holds. ``sent`` is this node's report as the others have it."""

    __slots__ = ("departed_ms", "last_left_ms", "others", "own", "recorded_ms", "sent", "since_ms")

    def __init__(self, since_ms: int) -> None:
        self.since_ms = since_ms
        self.last_left_ms = 0
        self.departed_ms: dict[str, int] = {}
        self.own = _OwnAttendance()
        self.others: dict[str, Attendance] = {}
        self.sent: Attendance | None = None
        self.recorded_ms: dict[str, int] = {}
        """The departures that this node recorded and has not sent yet."""

    @property
    def reports(self) -> Iterable[Attendance | _OwnAttendance]:
        return (self.own, *self.others.values())

    def left(self, at_ms: int, departed_ms: Iterable[tuple[str, int]] = ()) -> None:
        """Note when a connection closed, and departures of players. The newest count."""
        self.last_left_ms = max(self.last_left_ms, at_ms)
        for player, player_ms in departed_ms:
            self.departed_ms[player] = max(self.departed_ms.get(player, 0), player_ms)


class PresenceMirror:
    """The presence of the rooms that this node holds. It reports this node's connections, and receives the others' reports.

    ``sender`` is None for the only node of a store.
    """

    def __init__(self, node: str, sender: PresenceSender | None = None) -> None:
        self.node = node
        self.shared = sender is not None
        """Whether there may be other nodes."""
        self._sender = sender
        self._rooms: dict[str, _Room] = {}

    # --- this node's connections --------------------------------------------------------------------------------

    def hold(self, room: str, at_ms: int, stored: RoomPresence | None = None) -> None:
        """Begin to watch a room, or take over again what is stored. Without a stored record, presence begins now."""
        entry = self._rooms.setdefault(room, _Room(at_ms))
        if stored is not None:
            entry.since_ms = stored.since_ms
            entry.others = {node: report for node, report in stored.reports.items() if node != self.node}
            entry.left(stored.last_left_ms, stored.departed_ms.items())
            entry.sent = None  # other nodes may have dropped the report, even if it is still stored

    def release(self, room: str) -> None:
        """Stop watching a room that has no connection on this node."""
        self._rooms.pop(room, None)

    def arrived(self, room: str, player: str | None, name: str, at_ms: int) -> None:
        """Count a new connection; ``player`` is None for a nameless spectator."""
        own = self._rooms.setdefault(room, _Room(at_ms)).own
        own.connections += 1
        if player is None:
            own.nameless += 1
        else:
            own.counts[player] += 1
            own.players[player] = name

    def visible_changed(self, room: str, player: str, *, visible: bool) -> None:
        """Count a connection of a player that is hidden now, or visible again."""
        hidden = self._rooms[room].own.hidden_counts
        hidden[player] += -1 if visible else 1
        if not hidden[player]:
            del hidden[player]

    def departed(self, room: str, player: str | None, at_ms: int) -> None:
        """Count a connection that closed, which was visible."""
        entry = self._rooms[room]
        own = entry.own
        own.connections -= 1
        entry.left(at_ms)
        if player is None:
            own.nameless -= 1
            return
        own.counts[player] -= 1
        if not own.counts[player]:
            del own.counts[player]
            del own.players[player]
            self._record(entry, player, at_ms)

    def forget_departures(self, room: str, kept: Collection[str]) -> None:
        """Drop the departures of all but these players, once there are many: the others hold no seat."""
        entry = self._rooms[room]
        if len(entry.departed_ms) > MAX_DEPARTURES:
            entry.departed_ms = {player: at_ms for player, at_ms in entry.departed_ms.items() if player in kept}

    def seen(self, room: str, player: str, at_ms: int) -> None:
        """Count a sign of life of a player without a connection: an HTTP request that took a seat."""
        self._record(self._rooms.setdefault(room, _Room(at_ms)), player, at_ms)

    def seen_ms(self, room: str, player: str) -> int:
        """Return when a player last left the room or gave a sign of life, 0 without one."""
        entry = self._rooms.get(room)
        return 0 if entry is None else entry.departed_ms.get(player, 0)

    def _record(self, entry: _Room, player: str, at_ms: int) -> None:
        entry.departed_ms[player] = max(entry.departed_ms.get(player, 0), at_ms)
        if self._sender is not None:
            entry.recorded_ms[player] = entry.departed_ms[player]

    def renamed(self, room: str, player: str, name: str) -> None:
        """Change a player's name in the attendance of a room, as this node has it."""
        entry = self._rooms.get(room)
        if entry is None:
            return
        if player in entry.own.players:
            entry.own.players[player] = name
        for node, report in entry.others.items():
            if player in report.players:
                entry.others[node] = report._replace(players={**report.players, player: name})

    def publish(self, room: str) -> None:
        """Send this node's report of a room to the other nodes, if it has changed since it was last sent."""
        entry = self._rooms.get(room)
        if self._sender is None or entry is None:
            return
        own = entry.own
        report = Attendance(own.connections, own.nameless, dict(own.players), own.hidden)
        if report != entry.sent or entry.recorded_ms:
            entry.sent = report
            recorded_ms, entry.recorded_ms = entry.recorded_ms, {}
            self._sender.send(PresenceReport(room, self.node, report, recorded_ms, entry.last_left_ms))

    # --- the other nodes ----------------------------------------------------------------------------------------

    def received(self, report: PresenceReport) -> None:
        """Take over the report of another node."""
        entry = self._rooms.get(report.room)
        if entry is None:
            return
        if report.report.connections:
            entry.others[report.node] = report.report
        else:
            entry.others.pop(report.node, None)
        entry.left(report.last_left_ms, report.departed_ms.items())

    def node_died(self, node: str, end_ms: int) -> Sequence[str]:
        """Let the players of a node depart with its end. Return the rooms in which it had connections."""
        rooms = []
        for room, entry in self._rooms.items():
            report = entry.others.pop(node, None)
            if report is not None:
                entry.left(end_ms, [(player, end_ms) for player in report.players])
                rooms.append(room)
        return rooms

    def holders(self, room: str) -> Sequence[str]:
        """Return the living nodes that have reported connections to a room. Without any, return this one.

        This node counts once it has sent its report, so all nodes that have the same reports return the same nodes.
        """
        entry = self._rooms.get(room)
        if entry is None or not entry.others:
            return (self.node,)
        reported = entry.sent is not None and entry.sent.connections
        return (self.node, *entry.others) if reported else tuple(entry.others)

    # --- reading ------------------------------------------------------------------------------------------------

    def presence(self, room: str, players: Iterable[str], at_ms: int) -> Presence:
        """Return the presence of these players in a room that this node holds, without their lag."""
        entry = self._rooms.get(room)
        if entry is None:
            return Presence(dict.fromkeys(players, at_ms))
        if not entry.others:
            own = entry.own
            departed_ms, since_ms = entry.departed_ms, entry.since_ms
            away = {player: departed_ms.get(player, since_ms) for player in players if player not in own.players}
            hidden = frozenset(own.hidden) if own.hidden_counts else _NOBODY
            return Presence(
                away, connections=own.connections, last_left_ms=entry.last_left_ms, since_ms=since_ms, hidden=hidden
            )
        return _presence(entry.since_ms, entry.last_left_ms, entry.departed_ms, entry.reports, players)

    def attendance(self, room: str) -> Attendance:
        """Return the attendance of a room that this node holds."""
        entry = self._rooms.get(room)
        if entry is None:
            return NO_ATTENDANCE
        own = entry.own
        return _attendance(entry.reports) if entry.others else Attendance(own.connections, own.nameless, own.players)

    def players(self) -> frozenset[str]:
        """Return the players who are connected to this node's rooms."""
        return frozenset([player for room in self._rooms.values() for player in room.own.players])


def stored_presence(stored: RoomPresence, players: Iterable[str]) -> Presence:
    """Return the presence of these players in a room as a shared store keeps it."""
    return _presence(stored.since_ms, stored.last_left_ms, stored.departed_ms, stored.reports.values(), players)


def stored_attendance(stored: RoomPresence) -> Attendance:
    """Return the attendance of a room as a shared store keeps it."""
    return _attendance(stored.reports.values())


def _presence(
    since_ms: int,
    last_left_ms: int,
    departed_ms: Mapping[str, int],
    reports: Iterable[Attendance | _OwnAttendance],
    players: Iterable[str],
) -> Presence:
    reports = tuple(reports)
    away = {
        player: departed_ms.get(player, since_ms)
        for player in players
        if not any(player in report.players for report in reports)
    }
    connections = sum([report.connections for report in reports])
    hidden = {player for report in reports for player in report.hidden}
    hidden -= {player for report in reports for player in report.players if player not in report.hidden}
    return Presence(
        away, connections=connections, last_left_ms=last_left_ms, since_ms=since_ms, hidden=frozenset(hidden)
    )


def _attendance(reports: Iterable[Attendance | _OwnAttendance]) -> Attendance:
    names: dict[str, str] = {}
    connections = nameless = 0
    for report in reports:
        connections += report.connections
        nameless += report.nameless
        names.update(report.players)
    return Attendance(connections, nameless, names)
