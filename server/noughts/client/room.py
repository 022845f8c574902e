"""A room as a program sees it: the newest view, and a method for each command."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

import msgspec

from noughts.client.connection import Command, Connection
from noughts.client.room_state import RoomState
from noughts.protocol.messages import PROTOCOL, ChatLine, Crowd, GameView, Hello, Reaction, View, You
from noughts.room.clock import ClockSetting
from noughts.room.commands import (
    Answer,
    Chat,
    Claim,
    Close,
    Free,
    GiveTime,
    Move,
    Mute,
    Offer,
    OfferKind,
    React,
    Resign,
    SeatEngine,
    Set,
    Sit,
    SpectatorChat,
    Stand,
    Swap,
    Visibility,
)
from noughts.room.events import ViewEvent
from noughts.rules.outcome import MARKS, Mark

Clock: TypeAlias = ClockSetting | Mapping[str, object] | None
"""A clock: ``MoveClock(60_000)``, ``FischerClock(180_000, 2_000)``, ``DaysClock(3)``, the same as JSON, or None for none."""


def clock_setting(clock: Clock) -> ClockSetting | None:
    """Return a clock's setting as a value. Raise ``msgspec.ValidationError``, a ValueError, if it is not a setting."""
    return msgspec.convert(clock, ClockSetting | None) if isinstance(clock, Mapping) else clock


class Room:
    """A room on a server. ``async with room:`` enters it, and ``async for view in room:`` follows it.

    Every command returns once the server has accepted and stored it, and the newest view has it. It raises
    :class:`~noughts.client.errors.Rejected`, or :class:`~noughts.client.errors.RoomGone` if the room is gone. While the
    connection is broken, a command waits until it is back.
    """

    def __init__(
        self, socket_url: str, token: str | None, view: View, url: str, watch_url: str, invite: str | None
    ) -> None:
        self.id = view.id
        self.watch_url = watch_url
        """The link for spectators."""
        self._url = url
        self._invite = invite
        self._state = RoomState(view)
        self._socket_url = socket_url
        self._hello = Hello(PROTOCOL, room=view.id, token=token)
        self._connection: Connection | None = None
        self._news = 0

    async def __aenter__(self) -> Self:
        """Enter the room and wait for the first view. Raise RoomGone, Rejected or ConnectError."""
        await self.leave()
        self._state, self._news = RoomState(self._state.view), 0
        self._connection = Connection(self._socket_url, self._hello, self._state, random.Random())
        self._connection.open()
        try:
            while self._state.version == 0:
                await self._state.next_news()
        except BaseException:
            await self.leave()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Disconnect. Nothing of this room runs on. A seat stays yours, and you may enter again."""
        if self._connection is not None:
            await self._connection.close()

    # --- what there is to see -----------------------------------------------------------------------------------

    def __aiter__(self) -> AsyncIterator[View]:
        """Yield the newest view whenever there is a newer one. Raise RoomGone when the room is gone."""
        return self._views()

    async def _views(self) -> AsyncIterator[View]:
        version = 0
        while True:
            if self._state.version != version:
                version = self._state.version
                yield self.view
            else:
                await self._state.next_news()

    @property
    def view(self) -> View:
        """The newest view."""
        return self._state.view

    @property
    def game(self) -> GameView | None:
        """The game of the newest view; None before the first game."""
        return self.view.game

    @property
    def you(self) -> You:
        """What this player is and can do, as of the newest view."""
        if self._state.you is None:
            raise RuntimeError("enter the room first: async with room:")
        return self._state.you

    @property
    def crowd(self) -> Crowd | None:
        """The presence of the seats' holders, and the spectators; None before the first message about them."""
        return self._state.crowd

    @property
    def lines(self) -> tuple[ChatLine, ...]:
        """The chat: the newest hundred lines on arrival, and all since."""
        return tuple(self._state.lines)

    @property
    def event(self) -> ViewEvent | None:
        """What has just happened, as of the newest view; None on arrival."""
        return self._state.event

    @property
    def reaction(self) -> Reaction | None:
        """The newest reaction."""
        return self._state.reaction

    @property
    def invite(self) -> str | None:
        """The secret that lets another player sit down; None if the room needs none or you may not know it."""
        you = self._state.you
        return self._invite or (None if you is None else you.invite)

    @property
    def url(self) -> str:
        """The link for an opponent. It holds the invite, if there is one."""
        return f"{self.watch_url}#i={self.invite}" if self.invite else self._url

    async def news(self) -> None:
        """Wait until there is news since the last call: a view, a crowd, a chat line, a reaction. Raise RoomGone."""
        while self._state.news == self._news:
            await self._state.next_news()
        self._news = self._state.news

    # --- commands -----------------------------------------------------------------------------------------------

    async def sit(self, mark: Mark | None = None) -> None:
        """Take a seat: this one, or one that can be taken."""
        await self._do(Sit(self._id(), mark or self._free_mark(), self._invite))

    async def stand(self) -> None:
        """Give the seat up, between games."""
        await self._do(Stand(self._id()))

    async def move(self, cell: str, view: View | None = None) -> None:
        """Fill a cell, such as ``b2``, in the position of ``view``, or of the newest view if it is None.

        If the room has a newer position than ``view``, the move is rejected as ``stale``.
        """
        game = (view or self.view).game
        moves, number = (0, None) if game is None else (len(game.moves), game.number)
        await self._do(Move(self._id(), moves, cell, number))

    async def resign(self) -> None:
        """Give the game to the opponent."""
        await self._do(Resign(self._id(), self._number()))

    async def swap(self) -> None:
        """Take X's side after the first move, as the player of O in a room with the swap rule."""
        game = self.view.game
        await self._do(Swap(self._id(), 0 if game is None else len(game.moves), self._number()))

    async def give_time(self) -> None:
        """Give the opponent more time: 15 seconds, or a day on a clock of days."""
        await self._do(GiveTime(self._id(), self._number()))

    async def offer(self, what: OfferKind) -> None:
        """Offer a draw, a takeback or a rematch. If the other side has offered the same, this accepts it."""
        await self._do(Offer(self._id(), what, self._number()))

    async def answer(self, what: OfferKind, accept: bool) -> None:
        """Accept or decline an offer, or withdraw your own."""
        await self._do(Answer(self._id(), what, accept, self._number()))

    async def claim(self, what: Literal["win", "draw"]) -> None:
        """End a game whose other player has been away for too long."""
        await self._do(Claim(self._id(), what, self._number()))

    async def seat_engine(self, mark: Mark, level: str) -> None:
        """Seat the engine: in an empty seat, or for an opponent who has been away for too long."""
        await self._do(SeatEngine(self._id(), mark, level))

    async def say(self, text: str) -> None:
        """Send a chat line of 1 to 280 characters."""
        await self._do(Chat(self._id(), text))

    async def react(self, emoji: str) -> None:
        """Send one of the reactions."""
        await self._do(React(self._id(), emoji))

    async def set(
        self,
        *,
        variant: str | None = None,
        clock: Clock | msgspec.UnsetType = msgspec.UNSET,
        visibility: Visibility | None = None,
        spectator_chat: SpectatorChat | None = None,
        first_to: int | msgspec.UnsetType | None = msgspec.UNSET,
        swap: bool | None = None,
    ) -> None:
        """Change the settings, as the owner and between games. What is not given stays.

        A clock or ``first_to`` of None removes it.
        """
        setting: ClockSetting | msgspec.UnsetType | None
        setting = msgspec.UNSET if isinstance(clock, msgspec.UnsetType) else clock_setting(clock)
        await self._do(Set(self._id(), variant, setting, visibility, spectator_chat, first_to, swap))

    async def free(self, mark: Mark) -> None:
        """Empty the seat of an engine or of an absent player, as the owner and between games."""
        await self._do(Free(self._id(), mark))

    async def mute(self, player: str, muted: bool = True) -> None:
        """Mute a player's id or ``spectators``, as the owner."""
        await self._do(Mute(self._id(), player, muted))

    async def close(self) -> None:
        """End the room, as the owner. After that it is gone."""
        await self._do(Close(self._id()))

    async def _do(self, command: Command) -> None:
        """Send a command, and wait for the view that has it. Raise Rejected, RoomGone or ConnectError."""
        version = await self._entered().ask(command)
        while self._state.version < version:
            await self._state.next_news()

    def _entered(self) -> Connection:
        if self._connection is None:
            raise RuntimeError("enter the room first: async with room:")
        return self._connection

    def _id(self) -> str:
        return self._entered().next_id()

    def _number(self) -> int | None:
        """Return the number of the present game: a command that comes too late must not be about the next one."""
        game = self._state.view.game
        return None if game is None else game.number

    def _free_mark(self) -> Mark:
        """Return a mark whose seat can be taken. If there is none, the server says so."""
        for mark in MARKS:
            if f"sit:{mark}" in self.you.can:
                return mark
        seats: Any = self._state.view.seats
        return next((mark for mark in MARKS if getattr(seats, mark) is None), MARKS[0])
