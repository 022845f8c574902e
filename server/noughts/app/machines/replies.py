"""A command on its way through an actor, and its answer: the version after it, or a rejection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar

import structlog
from msgspec.structs import replace

from noughts.app.machines.kind import Step
from noughts.errors import Rejection, fault
from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import Change, CommitAnswer
from noughts.values import Value

log = structlog.get_logger()

RETRY_MS: Final = 1_000
"""Retry delay after an unknown outcome."""

Reply: TypeAlias = Callable[[int | Rejection], None]
"""Receives the answer to one command, exactly once."""

MAX_CONFLICTS: Final = 5
"""A command is rejected as unavailable after this many conflicts."""


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


def rejection_of(error: Exception, command: str) -> Rejection:
    """Return the rejection of a command of this type that raised an exception. A fault is logged."""
    if isinstance(error, Rejection):
        return error
    if isinstance(error, StoreUnavailableError):
        return not_stored()
    log.error("a command failed", command=command, exc_info=error)
    return fault()


# --- the command ----------------------------------------------------------------------------------------------------


class Submission(Value):
    """A command that waits for its step.

    ``key`` is the player and the command's id, None for a command of the application. ``arrived_ms`` is when the command
    arrived, if it then had to wait; 0 if it is carried out at once.
    """

    command: Any
    key: tuple[str, str] | None
    reply: Reply
    conflicts: int = 0
    arrived_ms: int = 0

    def again(self, began_ms: int) -> Submission | None:
        """Return the command for another step, as of when it arrived or was first stepped; None after too many conflicts."""
        if self.conflicts + 1 == MAX_CONFLICTS:
            return None
        return replace(self, conflicts=self.conflicts + 1, arrived_ms=self.arrived_ms or began_ms)


class PendingCommit(Value):
    """A commit that is under way. With ``rejection``, nothing is written: the store is asked if the rejection stands."""

    submission: Submission
    change: Change
    step: Step[Any, Any]
    began_ms: int
    rejection: Rejection | None = None


A = TypeVar("A", bound=CommitAnswer)

Answered: TypeAlias = tuple[PendingCommit, A]
"""A commit with its answer."""
