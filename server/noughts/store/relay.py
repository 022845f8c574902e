"""The relay: carries changes between nodes, to those that hold the room, and notices to all of them."""

from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple, Protocol

from noughts.store.contract import Change


class Notice(NamedTuple):
    """An announcement to every node. ``subject`` is a player's id or an address, ``text`` a player's new name."""

    what: Literal["renamed", "deleted", "banned", "unbanned"]
    subject: str = ""
    text: str = ""


class Relay(Protocol):
    """One node's access to the relay. A node never receives its own messages."""

    def hold(self, room: str) -> None:
        """Receive the changes of a room from now on."""
        ...

    def release(self, room: str) -> None:
        """Receive no more changes of a room."""
        ...

    def publish(self, change: Change) -> None:
        """Send a stored change to the other nodes that hold its room."""
        ...

    def announce(self, notice: Notice) -> None:
        """Send a notice to every other node."""
        ...

    async def received(self) -> Change | Notice:
        """Wait for the next message from another node, in the order of sending. One task may wait."""
        ...


class _Inbox:
    """The rooms that one node holds, and the messages that it has yet to receive."""

    __slots__ = ("messages", "rooms")

    def __init__(self) -> None:
        self.rooms: set[str] = set()
        self.messages: asyncio.Queue[Change | Notice] = asyncio.Queue()


class LocalExchange:
    """Joins the relays of the nodes in one process."""

    def __init__(self) -> None:
        self.inboxes: list[_Inbox] = []

    def send(self, sender: _Inbox, message: Change | Notice, room: str | None) -> None:
        """Deliver a message to every node but its sender: about a room to those that hold it, or to all."""
        for inbox in self.inboxes:
            if inbox is not sender and (room is None or room in inbox.rooms):
                inbox.messages.put_nowait(message)


class LocalRelay:
    """:class:`Relay` in memory. With a single node, publishing costs nothing."""

    def __init__(self, exchange: LocalExchange) -> None:
        self._exchange = exchange
        self._inbox = _Inbox()
        exchange.inboxes.append(self._inbox)

    def hold(self, room: str) -> None:
        self._inbox.rooms.add(room)

    def release(self, room: str) -> None:
        self._inbox.rooms.discard(room)

    def publish(self, change: Change) -> None:
        if len(self._exchange.inboxes) > 1:
            self._exchange.send(self._inbox, change, change.room)

    def announce(self, notice: Notice) -> None:
        self._exchange.send(self._inbox, notice, None)

    async def received(self) -> Change | Notice:
        return await self._inbox.messages.get()
