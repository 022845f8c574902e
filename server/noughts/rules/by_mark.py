"""One thing for each mark."""

from __future__ import annotations

from typing import Generic, TypeVar

from noughts.rules.outcome import Mark
from noughts.values import Value

T = TypeVar("T")


class ByMark(Value, Generic[T]):
    """What X has and what O has."""

    X: T
    O: T  # noqa: E741 - the mark's name

    def of(self, mark: Mark) -> T:
        """Return what this mark has."""
        return self.X if mark == "X" else self.O

    def replaced(self, mark: Mark, value: T) -> ByMark[T]:
        """Return a copy in which one mark has another value."""
        return ByMark(value, self.O) if mark == "X" else ByMark(self.X, value)

    @property
    def swapped(self) -> ByMark[T]:
        """A copy with the two marks exchanged."""
        return ByMark(self.O, self.X)
