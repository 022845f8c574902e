"""The answer to a command: the version after it, or a rejection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeAlias

from noughts.errors import Rejection

RETRY_MS: Final = 1_000
"""Retry delay after an unknown outcome."""

Reply: TypeAlias = Callable[[int | Rejection], None]
"""Receives the answer to one command, exactly once."""


def unanswered(answer: int | Rejection) -> None:
    """Take the answer to a command that no caller waits for."""


def reply_to(future: asyncio.Future[int]) -> Reply:
    """Return a reply that a coroutine awaits."""

    def reply(answer: int | Rejection) -> None:
        if future.done():
            return  # the caller was cancelled
        if isinstance(answer, Rejection):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    return reply


def not_stored() -> Rejection:
    """Return the rejection of a command that may or may not have taken effect."""
    message = "The server cannot store this now: send the same command again."
    return Rejection("unavailable", message, retry_ms=RETRY_MS)


def damaged() -> Rejection:
    """Return the rejection of a command whose value lies in a damaged part of the store. It had no effect."""
    message = "The server cannot store this, because a part of its data is damaged: tell the operator of the server."
    return Rejection("unavailable", message, retry_ms=60_000)


def too_busy(kind: str) -> Rejection:
    """Return the rejection of a command that other changes overtook too often."""
    return Rejection("unavailable", f"The {kind} is too busy: send the same command again.", retry_ms=500)
