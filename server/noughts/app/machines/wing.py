"""A wing: all that a node knows about one kind of machine, as one entry in the list of the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NamedTuple, TypeAlias

from noughts.app.machines.registry import Registry
from noughts.store.relay import Message

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""What runs as long as the server does."""


async def begin_at_once() -> None:
    """Begin without preparation."""


def hear_nothing(message: Message) -> None:
    """Take no message of another node."""


class Wing(NamedTuple):
    """One kind of machine on this node. The lobby is a wing without a machine, so it has no registry."""

    kind: str
    registry: Registry[Any] | None = None
    work: tuple[Work, ...] = ()
    """What runs as long as the server does."""
    begin: Callable[[], Awaitable[None]] = begin_at_once
    """Prepare for the work. It may raise ``StoreUnavailableError``: the server then tries again later."""
    hear: Callable[[Message], None] = hear_nothing
    """Take a message of another node that is no change of a value, before the next message is waited for."""
