"""What a client knows of a room: the newest view, the crowd and the chat, and who waits for news of them."""

from __future__ import annotations

import asyncio
from typing import Final

from noughts.client.decoding import Message, RoomUpdate
from noughts.protocol.messages import ChatLine, ChatMessage, Crowd, Reaction, View, You
from noughts.room.events import ViewEvent

MAX_LINES: Final = 1_000
"""The newest chat lines, which are kept."""


class RoomState:
    """The newest of everything that the server sent about one room. A :class:`~noughts.client.connection.Receiver`."""

    def __init__(self, view: View) -> None:
        self.you: You | None = None
        self.crowd: Crowd | None = None
        self.lines: list[ChatLine] = []
        self.reaction: Reaction | None = None
        self.news = 0
        """How many messages have changed anything."""
        self._update: RoomUpdate | None = None
        self._takes_any = True
        self.view = view
        """The newest view."""
        self.version = 0
        """The version of the newest view that a connection brought; 0 before the first."""
        self._error: Exception | None = None
        self._changed = asyncio.Event()

    @property
    def event(self) -> ViewEvent | None:
        """What the newest view says has just happened."""
        return None if self._update is None else self._update.view_event()

    # --- a receiver ---------------------------------------------------------------------------------------------

    def connected(self) -> None:
        """Take the next view, even if its version is lower: a store that failed over may have lost a change."""
        self._takes_any = True

    def receive(self, message: Message) -> None:
        """Take a message about the room."""
        if isinstance(message, RoomUpdate):
            if message.version < self.version and not self._takes_any:
                return
            self._takes_any = False
            self._update, self.view = message, message.room
            self.version, self.you = message.version, message.you
        elif isinstance(message, Crowd):
            self.crowd = message
        elif isinstance(message, ChatMessage):
            self._add_lines(message.lines)
        elif isinstance(message, Reaction):
            self.reaction = message
        else:
            return
        self.news += 1
        self._wake()

    def ended(self, error: Exception) -> None:
        """Raise this error in everybody who waits from now on."""
        self._error = error
        self._wake()

    def _add_lines(self, lines: tuple[ChatLine, ...]) -> None:
        """Add the lines that are new. After a reconnect the server sends the newest ones again."""
        newest = self.lines[-1].n if self.lines else 0
        self.lines.extend(line for line in lines if line.n > newest)
        del self.lines[:-MAX_LINES]

    # --- waiting ------------------------------------------------------------------------------------------------

    async def next_news(self) -> None:
        """Wait for the next message that changes anything. Raise the error of a connection that has ended."""
        news = self.news
        if self._error is None:
            await self._changed.wait()
        if self._error is not None and self.news == news:  # a message that came before the end is handed out first
            raise self._error

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
