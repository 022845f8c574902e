"""A command on its way through a room."""

from __future__ import annotations

from typing import Any

from noughts.app.rooms.repository import CommandKey
from noughts.room.commands import AnyCommand
from noughts.room.room import Room
from noughts.room.transition import Transition
from noughts.values import Value


class Submission(Value):
    """A command that waits for its turn. ``key`` is the player and the command's id, None for the application's own."""

    command: AnyCommand
    key: CommandKey | None
    reply: Any  # a Reply: msgspec has no words for a protocol
    conflicts: int = 0


class PendingCommit(Value):
    """A commit that is under way."""

    submission: Submission
    before: Room
    done: Transition
    began_ms: int
