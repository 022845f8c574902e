"""A command that a room has taken: waiting for its step, then for its commit."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from noughts.room.commands import AnyCommand
from noughts.room.idempotency import CommandKey
from noughts.room.transition import Transition
from noughts.values import Value


class Submission(Value):
    """A command that waits for its step.

    ``key`` is the player and the command's id, None for a command of the application. ``arrived_ms`` is when the command
    arrived, if it then had to wait; 0 if it is carried out at once.
    """

    command: AnyCommand
    key: CommandKey | None
    reply: Any  # a Reply: msgspec accepts no protocol as the type of a field
    conflicts: int = 0
    arrived_ms: int = 0

    def after_conflict(self, began_ms: int) -> Submission:
        """Return this command for another step, after one that was taken at this time and conflicted with a change."""
        return replace(self, conflicts=self.conflicts + 1, arrived_ms=self.arrived_ms or began_ms)


class PendingCommit(Value):
    """A commit that is under way. With ``rejection``, nothing is written: the store is asked if the rejection stands."""

    submission: Submission
    transition: Transition
    began_ms: int
    rejection: Any = None  # a Rejection or None: msgspec accepts no exception as the type of a field
