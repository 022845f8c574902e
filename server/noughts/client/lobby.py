"""What a client knows of the lobby."""

from __future__ import annotations

import asyncio

from noughts.client.decoding import Message
from noughts.protocol.messages import Lobby


class LobbyState:
    """The newest lobby that was not handed out yet. A :class:`~noughts.client.connection.Receiver`."""

    def __init__(self) -> None:
        self._lobby: Lobby | None = None
        self._error: Exception | None = None
        self._news = asyncio.Event()

    def connected(self) -> None:
        """Take the lobby as it comes: it has no version."""

    def receive(self, message: Message) -> None:
        """Take a lobby."""
        if isinstance(message, Lobby):
            self._lobby = message
            self._news.set()

    def ended(self, error: Exception) -> None:
        """Raise this error in :meth:`next_lobby` from now on."""
        self._error = error
        self._news.set()

    async def next_lobby(self) -> Lobby:
        """Return the newest lobby, once there is one that was not returned before. Raise RoomGone or ConnectError."""
        await self._news.wait()
        if self._lobby is None and self._error is not None:
            raise self._error
        if self._error is None:
            self._news.clear()  # otherwise the next call must not wait: it raises the error
        lobby, self._lobby = self._lobby, None
        assert lobby is not None
        return lobby
