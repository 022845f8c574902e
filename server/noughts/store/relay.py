"""The relay: what a node receives from the other nodes, and the notices that it sends to all of them.

Changes and reports of presence come from the store, which publishes them to the nodes that hold the room. They arrive in the
order in which the store carried them out, between the answers to this node's own requests.
"""

from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple, Protocol, TypeAlias

from noughts.store.machine_store import Change
from noughts.store.presence import PresenceReport


class Notice(NamedTuple):
    """An announcement to every node.

    ``subject`` is a player's id or an address. ``text`` is a player's new name, or the hash of a deleted token in
    hexadecimal digits. A roll call asks every node which players are connected to it. Each answers with a roster under the
    same subject.
    """

    kind: Literal["renamed", "deleted", "token_deleted", "banned", "unbanned", "roll call", "roster"]
    subject: str = ""
    text: str = ""


class NodeDied(NamedTuple):
    """A node has stopped, or the store has given it up. Its connections ended then: as it stopped, or with its last beat."""

    node: str
    end_ms: int


class Reconnected(NamedTuple):
    """This node may have missed messages. It must hold its rooms again, and report its connections again."""


Message: TypeAlias = Change | PresenceReport | NodeDied | Notice | Reconnected


class Relay(Protocol):
    """One node's access to the relay. A node never receives its own messages."""

    def announce(self, notice: Notice) -> None:
        """Send a notice to every other node."""
        ...

    async def received(self) -> Message:
        """Wait for the next message, in the order of the store. One task may wait.

        The task acts on a message before it waits again. So it acts on a change before the answers that came after it.
        """
        ...


class SingleNodeRelay:
    """:class:`Relay` for the only node of a store: there is no other to send to or to receive from."""

    def announce(self, notice: Notice) -> None:
        pass

    async def received(self) -> Message:
        never: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        return await never
