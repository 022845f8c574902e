"""A command that a room has taken: waiting for its step, then for its commit."""

from __future__ import annotations

from typing import Any

from noughts.app.rooms.repository import CommandKey
from noughts.room.commands import AnyCommand
from noughts.room.room import Room
from noughts.room.transition import Transition
from noughts.values import Value


class Submission(Value):
    """A command that waits for its step.

    ``key`` is the player and the command's id, None for a command of the application.
    """

    command: AnyCommand
    key: CommandKey | None
    reply: Any  # a Reply: msgspec accepts no protocol as the type of a field
    conflicts: int = 0


class PendingCommit(Value):
    """A commit that is under way. With ``rejection``, nothing is written: the store is asked if the rejection stands."""

    submission: Submission
    before: Room
    transition: Transition
    began_ms: int
    rejection: Any = None  # a Rejection or None: msgspec accepts no exception as the type of a field
