"""A wing: all that a node knows about one kind of machine, as one entry in the list of the server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.routes import Row
from noughts.app.machines.registry import AnyRegistry
from noughts.app.machines.replies import Reply
from noughts.app.runtime.tasks import Work
from noughts.errors import Rejection
from noughts.room.seat import Person
from noughts.store.relay import Message

Read: TypeAlias = Callable[[str], Awaitable[Any]]
"""Returns the value with an id."""


class Door(ABC):
    """What one connection talks to, from the time at which it has entered until it leaves."""

    __slots__ = ()

    @abstractmethod
    def decode(self, text: str, /) -> Any:
        """Return the command in a text frame. Raise :class:`~noughts.protocol.codec.MalformedCommandError`."""

    @abstractmethod
    def submit(self, person: Person | None, command: Any, reply: Reply) -> None:
        """Carry out a decoded command of a player, None for a nameless spectator. Raise :class:`Rejection`."""

    def lag_measured(self) -> None:  # noqa: B027
        """Take over a new measurement of the client's lag."""

    def resend(self) -> None:  # noqa: B027
        """Send again what the client sees, because its last command shows that it is behind."""

    @abstractmethod
    def leave(self) -> None:
        """Remove the connection, which has ended."""


def nameless() -> Rejection:
    """Return the rejection of a command by a nameless spectator."""
    return Rejection("unauthorized", "You are watching without a name: say hello with a token to take part.")


class Wing(ABC):
    """One kind of machine on this node. The lobby is a wing without a machine, so it has no registry."""

    kind: str
    registry: AnyRegistry | None = None
    work: tuple[Work, ...] = ()
    """What runs as long as the server does."""
    rows: tuple[Row, ...] = ()
    """Its HTTP endpoints."""

    @abstractmethod
    async def enter(self, id: str, connection: Connection, page: str) -> Door:
        """Let a connection in to the value with an id. Raise :class:`Rejection`.

        Send it the welcome, with this hash of the page's files, and the value.
        """

    async def read(self, id: str) -> Any:
        """Return the value with an id. Raise :class:`Rejection`, with a status of 404 if there is none."""
        if self.registry is None:
            raise Rejection("not_found", "There is nothing at this address.")
        return await self.registry.read(id)

    async def close(self, id: str) -> bool:
        """Close the value with an id for good. Return False if there is none. Raise ``unavailable``."""
        return False

    async def forget(self, player: str) -> None:  # noqa: B027
        """Delete the name of a player from all values that keep it. Raise ``unavailable`` if some may have it still."""

    async def export(self, player: str) -> Sequence[Any]:
        """Return what its values keep about a player, as the contract shows it. Raise :class:`Rejection`."""
        return ()

    async def begin(self) -> None:  # noqa: B027
        """Prepare for the work. It may raise ``StoreUnavailableError``: the server then tries again later."""

    def hear(self, message: Message) -> None:  # noqa: B027
        """Take a message of another node that is no change of a value, before the next message is waited for."""
