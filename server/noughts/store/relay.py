"""The relay: carries changes between nodes, to those that hold the room, and notices to all of them."""

from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple, Protocol

from noughts.store.contract import Change


class Notice(NamedTuple):
    """What every node must hear of. ``subject`` is a player's id or an address, ``text`` a player's new name."""

    what: Literal["renamed", "deleted", "banned", "unbanned"]
    subject: str = ""
    text: str = ""


class Relay(Protocol):
    """One node's end of the relay. A node never receives what it sent itself."""

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
        """Wait for what another node sent next, in the order in which it was sent. One task may wait."""
        ...


class LocalExchange:
    """Joins the relays of the nodes in one process."""

    def __init__(self) -> None:
        self.relays: list[LocalRelay] = []

    def send(self, sender: LocalRelay, message: Change | Notice, room: str | None) -> None:
        """Deliver a message to every node but its sender."""
        for relay in self.relays:
            if relay is not sender:
                relay.deliver(message, room)


class LocalRelay:
    """:class:`Relay` in memory. The only node of a process pays nothing for it."""

    def __init__(self, exchange: LocalExchange) -> None:
        self._exchange = exchange
        self._rooms: set[str] = set()
        self._inbox: asyncio.Queue[Change | Notice] = asyncio.Queue()
        exchange.relays.append(self)

    def hold(self, room: str) -> None:
        self._rooms.add(room)

    def release(self, room: str) -> None:
        self._rooms.discard(room)

    def publish(self, change: Change) -> None:
        if len(self._exchange.relays) > 1:
            self._exchange.send(self, change, change.room)

    def announce(self, notice: Notice) -> None:
        self._exchange.send(self, notice, None)

    async def received(self) -> Change | Notice:
        return await self._inbox.get()

    def deliver(self, message: Change | Notice, room: str | None) -> None:
        """Take a message from another node, unless it is about a room that this node does not hold."""
        if room is None or room in self._rooms:
            self._inbox.put_nowait(message)
