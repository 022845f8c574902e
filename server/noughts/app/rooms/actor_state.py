"""The states of a room's actor."""

from __future__ import annotations

from enum import Enum, auto


class ActorState(Enum):
    """What an actor is doing."""

    READY = auto()
    COMMITTING = auto()
    STALE = auto()
    """The stored room may differ from the one held here: it must be read before the next step."""
    LOADING = auto()
    CLOSED = auto()
