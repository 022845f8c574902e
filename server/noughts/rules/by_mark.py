"""Pairs: one thing for each mark."""

from __future__ import annotations

from typing import Generic, TypeVar

from noughts.rules.outcome import Mark
from noughts.values import Value

T = TypeVar("T")


class ByMark(Value, Generic[T]):
    """One thing for X and one for O. The fields are called as the marks are, so that JSON is ``{"X": …, "O": …}``."""

    X: T
    O: T  # noqa: E741 - the mark's own name, and the wire's

    def of(self, mark: Mark) -> T:
        """Return what belongs to ``mark``."""
        return self.X if mark == "X" else self.O

    def replaced(self, mark: Mark, value: T) -> ByMark[T]:
        """Return this pair with ``value`` for ``mark``."""
        return ByMark(value, self.O) if mark == "X" else ByMark(self.X, value)

    @property
    def swapped(self) -> ByMark[T]:
        """This pair with X's and O's things exchanged."""
        return ByMark(self.O, self.X)
