"""Receivers of the answer to a command."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from noughts.errors import Rejection


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
