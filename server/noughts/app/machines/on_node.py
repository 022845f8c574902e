"""What a kind of machine says about one value on this node: its connections, its moment, its wake, what it publishes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sized
from typing import Generic, Literal, TypeAlias

from noughts.app.delivery.connection import Connection
from noughts.app.machines.kind import E, Loaded, M, Step, V
from noughts.room.seat import Names
from noughts.store.machine_store import Line

Pace: TypeAlias = Literal["still", "slow", "live"]
"""How a value's time runs. At a slow pace no deadline depends on who is connected, so a node may drop the value."""


class OnNode(ABC, Generic[V, M, E]):
    """One value on this node, as its kind sees it. :class:`~noughts.app.machines.actor.Actor` is the rest of it."""

    __slots__ = ("value",)

    value: V
    connections: Sized
    """The connections to the value on this node."""

    @property
    @abstractmethod
    def resting(self) -> bool:
        """Whether this node has nothing to do for the value: no connection, and no work outside a step."""

    # --- time ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def moment(self, now_ms: int, arrived_ms: int = 0) -> M:
        """Return the moment for a step that is taken now. ``arrived_ms`` is 0 unless its command has waited."""

    @abstractmethod
    def wake_at_ms(self) -> int | None:
        """Return when this node next attends to the value if no command comes; None for never."""

    @abstractmethod
    def pace(self) -> Pace:
        """Return how the value's time runs. Downtime is measured unless it stands still."""

    # --- changes ------------------------------------------------------------------------------------------------

    @abstractmethod
    def note_stored(self, step: Step[V, E]) -> None:
        """Note a change that this node, and no other one, has stored: for the log and the webhook. It is published next."""

    @abstractmethod
    def publish(self, after: V, events: tuple[E, ...], line: Line | None) -> V:
        """Send a stored change to every connection. Return the value that the node continues with."""

    @abstractmethod
    def publish_loaded(self, after: V, loaded: Loaded[V] | None) -> V:
        """Send what differs in a value that was read again; None if it is gone. Return the value to continue with."""

    @abstractmethod
    def rename(self, names: Names) -> None:
        """Show these players under other names from now on."""

    @abstractmethod
    def released(self) -> None:
        """Release what this node keeps for the value, which it drops."""

    # --- coming and going ---------------------------------------------------------------------------------------

    @abstractmethod
    def add(self, connection: Connection) -> bool:
        """Add a connection, and send it the value. Return whether deadlines may have changed."""

    @abstractmethod
    def remove(self, connection: Connection) -> bool:
        """Remove a connection. Return whether deadlines may have changed."""
