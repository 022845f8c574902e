"""What every host of a process shares, and whom it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from noughts.app.background import Background
from noughts.app.clock import ServerClock
from noughts.app.telemetry import Metrics
from noughts.room.room import House
from noughts.store.contract import Found, Store

H = TypeVar("H")
"""The host itself, which imports this."""


@dataclass(slots=True)
class Surroundings(Generic[H]):
    """What every host of a process shares."""

    store: Store
    clock: ServerClock
    house: House
    metrics: Metrics
    background: Background
    schedule: Callable[[str, int | None], None]
    """Wake a room at this time."""
    changed: Callable[[H, Found | None], None]
    """A room was changed; what it is found by, if that changed."""
    gone: Callable[[H], None]
    """There is no such room, or no longer."""
    deleted: Callable[[], None]
    """A room was removed from the store."""
    recovered: Callable[[int], None]
    """The store answers again, that was first found unreachable at this time."""
    think: Callable[[H], None]
    """See whether the engine has something to do."""
    started_ms: int = 0
    last_alive_ms: int | None = None
    down_since_ms: int | None = None
    """When the store was first found unreachable; None while it answers."""
