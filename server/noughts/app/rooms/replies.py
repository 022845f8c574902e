"""Receivers of the answer to a command."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from noughts.errors import Rejection

RETRY_MS: Final = 1_000
"""Retry delay after an unknown outcome."""


class Reply(Protocol):
    """Receives the answer to one command, exactly once."""

    def accepted(self, version: int) -> None: ...
    def rejected(self, rejection: Rejection) -> None: ...


class AwaitedReply:
    """A reply that a coroutine awaits."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def accepted(self, version: int) -> None:
        if not self.future.done():
            self.future.set_result(version)

    def rejected(self, rejection: Rejection) -> None:
        if not self.future.done():
            self.future.set_exception(rejection)


class _Unanswered:
    def accepted(self, version: int) -> None:
        pass

    def rejected(self, rejection: Rejection) -> None:
        pass


UNANSWERED: Final = _Unanswered()
"""The reply to a wake-up: no caller waits for it."""


def unknown_room() -> Rejection:
    """Return the rejection for a room that does not exist."""
    return Rejection("unknown_room", "This room does not exist or has expired: make a new one.")


def not_stored() -> Rejection:
    """Return the rejection of a command whose outcome is unknown."""
    message = "The server cannot store this now: send the same command again."
    return Rejection("unavailable", message, retry_ms=RETRY_MS)


def damaged() -> Rejection:
    """Return the rejection of a command whose room lies in a damaged part of the store. It had no effect."""
    message = "The server cannot store this, because a part of its data is damaged: tell the operator of the server."
    return Rejection("unavailable", message, retry_ms=60_000)


def too_busy() -> Rejection:
    """Return the rejection of a command that other changes overtook too often."""
    return Rejection("unavailable", "The room is too busy: send the same command again.", retry_ms=500)
