"""What every host of a process shares, and whom it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from noughts.app.background import Background
from noughts.app.clock import ServerClock
from noughts.app.outages import Outages
from noughts.app.telemetry import Metrics
from noughts.room.room import House
from noughts.room.seat import Person
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
    recovered: Callable[[], None]
    """The store answers again."""
    called: Callable[[Person], Person]
    """A player by the present name, whatever it was when the command came."""
    think: Callable[[H], None]
    """See whether the engine has something to do."""
    outages: Outages
    """When nobody could play."""
