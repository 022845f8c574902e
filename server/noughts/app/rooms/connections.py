"""The connections of one room on this node, grouped by audience, and the messages to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Kind, text_frame
from noughts.printable import printable
from noughts.protocol.audience import Audience, audience_of
from noughts.protocol.codec import encode
from noughts.protocol.messages import ChatLine, ChatMessage, Reaction, Speaker
from noughts.protocol.room_messages import RoomMessages
from noughts.room.events import Reacted, Sat, ViewEvent
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import SOMEONE, Names
from noughts.rules.outcome import Mark
from noughts.store.machine_store import Line

LINES_SENT: Final = 100
"""The most chat lines sent to a new connection."""
AUDIENCES: Final[tuple[Audience, ...]] = ("X", "O", "owner", "everyone")


class RoomConnections:
    """A room's connections. A message is encoded once for each audience and waits for no client."""

    __slots__ = ("_groups", "_lines", "_messages", "_owner", "_seats", "crowd_sent_ms", "names")

    def __init__(self, policy: Policy, lines: Iterable[Line] = (), names: Names = MappingProxyType({})) -> None:
        self._groups: dict[Audience, list[Connection]] = {audience: [] for audience in AUDIENCES}
        self._seats: object = None
        """The seats and the owner by which the connections are grouped."""
        self._owner: object = None
        self._lines: deque[Line] = deque(lines, maxlen=LINES_SENT)
        self.names = names
        """The names of the players that the room shows. They are another object after each change."""
        self._messages = RoomMessages(policy)
        self.crowd_sent_ms = 0
        """When the crowd was last sent to all connections."""

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def __iter__(self) -> Iterator[Connection]:
        for group in self._groups.values():
            yield from group

    def address(self, mark: Mark | None) -> str:
        """Return the address of the player of a mark; of any client if that player has no connection; "" without one."""
        group = self._groups[mark] if mark is not None else []
        for connection in group or self:
            return connection.address
        return ""

    # --- the room -----------------------------------------------------------------------------------------------

    def join(self, connection: Connection, room: Room) -> None:
        """Add a connection, and send it nothing yet."""
        if self._seats is not room.seats or self._owner is not room.owner:
            self._regroup(room)
        connection.timed = room.clock is not None
        self._groups[_audience(room, connection)].append(connection)

    def leave(self, connection: Connection) -> None:
        """Remove a connection."""
        for group in self._groups.values():
            if connection in group:
                group.remove(connection)

    def _regroup(self, room: Room) -> None:
        """Group the connections again after a change of a seat or the owner."""
        self._seats, self._owner = room.seats, room.owner
        connections = tuple(self)
        for group in self._groups.values():
            group.clear()
        for connection in connections:
            self._groups[_audience(room, connection)].append(connection)

    def send_room(self, room: Room, presence: Presence, event: ViewEvent | None) -> None:
        """Send the room to every connection, with the last event."""
        if self._seats is not room.seats or self._owner is not room.owner:
            self._regroup(room)
        for audience, group in self._groups.items():
            if group:
                frame = text_frame(self._messages.message(room, event, presence, audience, self.names))
                for connection in group:
                    connection.push(frame, "view")

    def send_room_to(self, connection: Connection, room: Room, presence: Presence) -> None:
        """Send the room to one client: a new one, or one whose view is behind."""
        payload = self._messages.message(room, None, presence, _audience(room, connection), self.names)
        connection.push(text_frame(payload), "view")

    def set_timed(self, timed: bool) -> None:
        """Begin or stop measuring the lag of the room's players."""
        for connection in self:
            connection.timed = timed

    def lag_ms(self) -> dict[str, int]:
        """Return the measured lag of each connected player, the least of several connections."""
        lags: dict[str, int] = {}
        for connection in self:
            if connection.person is not None and connection.lag_ms is not None:
                player = connection.person.player
                lags[player] = min(connection.lag_ms, lags.get(player, connection.lag_ms))
        return lags

    # --- chat ---------------------------------------------------------------------------------------------------

    def send_line(self, line: Line) -> None:
        """Send a new chat line to every connection, unless it was sent."""
        if self._has_line(line.n):
            return
        self._lines.append(line)
        self.send_all(encode(ChatMessage((self._chat_line(line),))), "other")

    def _has_line(self, number: int) -> bool:
        """Return whether a chat line was sent, or is too old to be sent."""
        return any(line.n == number for line in self._lines) or (
            len(self._lines) == LINES_SENT and number < self._lines[0].n
        )

    def send_missed_lines(self, lines: Iterable[Line]) -> None:
        """Send every connection the stored chat lines that this node has not sent yet."""
        sent = {line.n for line in self._lines}
        oldest = min(sent, default=0)
        missed = [line for line in lines if line.n > oldest and line.n not in sent]
        if missed:
            self._lines = deque(sorted((*self._lines, *missed)), maxlen=LINES_SENT)
            self.send_all(encode(ChatMessage(tuple([self._chat_line(line) for line in missed]))), "other")

    def send_lines_to(self, connection: Connection) -> None:
        """Send one client the newest chat lines."""
        connection.send(encode(ChatMessage(tuple([self._chat_line(line) for line in self._lines]))))

    def send_reaction(self, event: Reacted) -> None:
        """Send a reaction to every connection."""
        self.send_all(
            encode(Reaction(Speaker(event.player, self._name(event.player), event.mark), event.emoji)), "other"
        )

    def send_all(self, payload: bytes, kind: Kind) -> None:
        """Send one message to every connection."""
        frame = text_frame(payload)
        for connection in self:
            connection.push(frame, kind)

    # --- names --------------------------------------------------------------------------------------------------

    def named(self, event: Sat) -> Sat:
        """Return the event with the present name of its player."""
        return replace(event, name=self._name(event.player))

    def take_names(self, names: Names) -> bool:
        """Use these names from now on, beside those of other players. Return whether that changes any."""
        changed = any(self.names.get(player) != name for player, name in names.items())
        if changed:
            self.names = {**self.names, **names}
        return changed

    def rename(self, player: str, name: str) -> None:
        """Give a player another name, in further commands too."""
        for connection in self:
            if connection.person is not None and connection.person.player == player:
                connection.person = replace(connection.person, name=name)
        if player in self.names:
            self.take_names({player: name})

    def _name(self, player: str) -> str:
        return self.names.get(player, SOMEONE)

    def _chat_line(self, line: Line) -> ChatLine:
        speaker = Speaker(line.player, self._name(line.player), line.mark)
        return ChatLine(line.n, line.at_ms, speaker, printable(line.text), line.ply)


def _audience(room: Room, connection: Connection) -> Audience:
    person = connection.person
    return "everyone" if person is None else audience_of(room, person.player)
