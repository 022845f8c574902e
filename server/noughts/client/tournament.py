"""A tournament as an entrant's program sees it: the newest message, and a method for each command."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from noughts.client.connection import Connection
from noughts.client.decoding import Message
from noughts.protocol.messages import PROTOCOL, Hello
from noughts.protocol.tournament_messages import OwnMatch, TournamentMessage, TournamentView
from noughts.tournament.commands import Leave, Pause, Unpause


class Tournament:
    """A tournament that this player has joined. ``async with tournament:`` enters it, ``async for`` follows it.

    Each message is whole. ``tournament.match`` is the match that this player plays now: enter its room and play.
    """

    def __init__(self, socket_url: str, token: str | None, view: TournamentView, url: str, entrant: int) -> None:
        self.id = view.id
        self.url = url
        """The address of its page."""
        self.entrant = entrant
        """This player's number in it."""
        self._view = view
        self._socket_url = socket_url
        self._hello = Hello(PROTOCOL, token=token, tournament=view.id)
        self._state = TournamentState()
        self._connection: Connection | None = None

    async def __aenter__(self) -> Self:
        """Connect and wait for the first message. Raise RoomGone, Rejected or ConnectError."""
        await self.disconnect()
        self._state = TournamentState()
        self._connection = Connection(self._socket_url, self._hello, self._state, random.Random())
        self._connection.open()
        try:
            await self._state.newer_than(0)
        except BaseException:
            await self.disconnect()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.disconnect()

    async def disconnect(self) -> None:
        """Disconnect. You stay an entrant, and may connect again."""
        if self._connection is not None:
            await self._connection.close()

    def __aiter__(self) -> AsyncIterator[TournamentMessage]:
        """Yield the newest message whenever there is a newer one. Raise RoomGone when the tournament is gone."""
        return self._messages()

    async def _messages(self) -> AsyncIterator[TournamentMessage]:
        number = 0
        while True:
            number, message = await self._state.newer_than(number)
            yield message

    @property
    def view(self) -> TournamentView:
        """The tournament, as of the newest message."""
        message = self._state.message
        return self._view if message is None else message.tournament

    @property
    def message(self) -> TournamentMessage:
        """The newest message. Raise RuntimeError before the first one."""
        if self._state.message is None:
            raise RuntimeError("enter the tournament first: async with tournament:")
        return self._state.message

    @property
    def match(self) -> OwnMatch | None:
        """The match that this player plays now; None without one."""
        return self.message.you.match

    async def leave(self) -> None:
        """Leave the tournament. In the middle of a match that resigns its game."""
        connection = self._open()
        await connection.ask(Leave(connection.next_id()))

    async def pause(self) -> None:
        """Play no further match until :meth:`resume`."""
        connection = self._open()
        await connection.ask(Pause(connection.next_id()))

    async def resume(self) -> None:
        """Take part again."""
        connection = self._open()
        await connection.ask(Unpause(connection.next_id()))

    def _open(self) -> Connection:
        if self._connection is None:
            raise RuntimeError("enter the tournament first: async with tournament:")
        return self._connection


class TournamentState:
    """The newest message about one tournament. A :class:`~noughts.client.connection.Receiver`."""

    def __init__(self) -> None:
        self.message: TournamentMessage | None = None
        self._number = 0
        self._error: Exception | None = None
        self._changed = asyncio.Event()

    def connected(self) -> None:
        """Take whatever comes: each message is whole."""

    def receive(self, message: Message) -> None:
        """Take a message about the tournament."""
        if isinstance(message, TournamentMessage):
            self.message, self._number = message, self._number + 1
            self._wake()

    def ended(self, error: Exception) -> None:
        """Raise this error in everybody who waits from now on."""
        self._error = error
        self._wake()

    async def newer_than(self, number: int) -> tuple[int, TournamentMessage]:
        """Return the newest message with its number, once it is higher than this one."""
        while self._number <= number or self.message is None:
            if self._error is not None:
                raise self._error
            await self._changed.wait()
        return self._number, self.message

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
