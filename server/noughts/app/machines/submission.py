"""A command on its way through an actor: it waits for its step, then for the store."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from noughts.app.machines.actor_states import Input
from noughts.app.machines.machine import Step
from noughts.store.machine_store import Change, CommitAnswer, Conflict, Known, Stored
from noughts.values import Value

MAX_CONFLICTS: Final = 5
"""A command is rejected as unavailable after this many conflicts."""

_INPUTS: Final[dict[type, Input]] = {Stored: "stored", Known: "known", Conflict: "conflict"}


class Submission(Value):
    """A command that waits for its step.

    ``key`` is the player and the command's id, None for a command of the application. ``arrived_ms`` is when the command
    arrived, if it then had to wait; 0 if it is carried out at once.
    """

    command: Any
    key: tuple[str, str] | None
    reply: Any  # a Reply: msgspec accepts no function as the type of a field
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
    step: Step
    began_ms: int
    rejection: Any = None  # a Rejection or None: msgspec accepts no exception as the type of a field


Answered: TypeAlias = tuple[PendingCommit, CommitAnswer]
"""A commit with its answer."""


def input_of(commit: PendingCommit | None, answer: CommitAnswer) -> Input:
    """Return what the store's answer to a commit is for the actor."""
    input = _INPUTS.get(type(answer), "unknown")
    return "ended" if input == "stored" and commit is not None and commit.step.value.closed else input
