"""What everybody in a room sees: the view, encoded once for each audience, chat lines and reactions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

from noughts.app.connection import Connection, text_frame
from noughts.protocol.codec import encode
from noughts.protocol.messages import ChatLine, ChatMessage, Reaction, RoomMessage, Speaker
from noughts.protocol.views import Audience, audience_of, view, you
from noughts.room.events import Event, Reacted, Said, ViewEvent
from noughts.room.room import SOMEONE, House, Room
from noughts.store.contract import Line

LINES_SENT: Final = 100
"""The newest chat lines, which a newcomer is sent."""


class Screens:
    """The connections of one room, and what is sent to them. Nobody is waited for."""

    __slots__ = ("_frames", "_house", "_lines", "connections", "names")

    def __init__(self, house: House) -> None:
        self.connections: set[Connection] = set()
        self.names: dict[str, str] = {}
        """The present names of those who chatted."""
        self._house = house
        self._lines: deque[Line] = deque(maxlen=LINES_SENT)
        self._frames: dict[Audience, bytes] = {}

    # --- the room -----------------------------------------------------------------------------------------------

    def show(self, room: Room, events: Iterable[Event] = ()) -> None:
        """Send the room to everybody, with the last thing that happened."""
        self.outdated()
        if not self.connections:
            return
        told = [event for event in events if not isinstance(event, Said | Reacted)]
        last = told[-1] if told else None
        whole = encode(view(room, self._house))
        frames: dict[Audience, bytes] = {}
        for connection in self.connections:
            audience = _audience(room, connection)
            frame = frames.get(audience)
            if frame is None:
                frame = frames[audience] = self._frame(room, audience, whole, last)
            connection.push(frame, "view")

    def show_to(self, connection: Connection, room: Room) -> None:
        """Send the room to one client: a newcomer, or one that has shown to be behind."""
        audience = _audience(room, connection)
        frame = self._frames.get(audience)
        if frame is None:
            frame = self._frames[audience] = self._frame(room, audience, encode(view(room, self._house)), None)
        connection.push(frame, "view")

    def outdated(self) -> None:
        """The room, or who is present in it, is other than it was."""
        self._frames.clear()

    def _frame(self, room: Room, audience: Audience, whole: bytes, event: ViewEvent | None) -> bytes:
        message = RoomMessage(room.version, event, you(room, audience, self._house), msgspec.Raw(whole))
        return text_frame(encode(message))

    # --- chat ---------------------------------------------------------------------------------------------------

    def remember(self, lines: Iterable[Line], names: dict[str, str]) -> None:
        """Take over what was said before, as the store has it."""
        self._lines = deque(lines, maxlen=LINES_SENT)
        self.names.update(names)

    def say(self, line: Line) -> None:
        """Send a new chat line to everybody."""
        self._lines.append(line)
        self._to_all(text_frame(encode(ChatMessage((self._chat_line(line),)))))

    def show_chat_to(self, connection: Connection) -> None:
        """Send a newcomer what was said."""
        connection.send(encode(ChatMessage(tuple([self._chat_line(line) for line in self._lines]))))

    def react(self, event: Reacted) -> None:
        """Send a reaction to everybody."""
        self._to_all(text_frame(encode(Reaction(Speaker(event.player, event.name, event.mark), event.emoji))))

    def _chat_line(self, line: Line) -> ChatLine:
        speaker = Speaker(line.player, self.names.get(line.player, SOMEONE), line.mark)  # type: ignore[arg-type]
        return ChatLine(line.n, line.at_ms, speaker, line.text, line.ply)

    def _to_all(self, frame: bytes) -> None:
        for connection in self.connections:
            connection.push(frame, "other")


def _audience(room: Room, connection: Connection) -> Audience:
    person = connection.person
    return "everyone" if person is None else audience_of(room, person.player)
