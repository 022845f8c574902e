"""The deadline of a search. Time comes in as an argument: the engine reads no clock of its own."""

from __future__ import annotations

from collections.abc import Callable


class OutOfTimeError(Exception):
    """The budget is spent: unwind the search and answer with what is known."""


class Budget:
    """A deadline on a clock given by the caller (seconds, monotonic).

    A kernel calls :meth:`check` every thousand nodes or so, since reading a clock costs as much as a node.
    """

    __slots__ = ("_clock", "deadline")

    def __init__(self, deadline: float, clock: Callable[[], float]) -> None:
        self.deadline = deadline
        self._clock = clock

    def left(self) -> float:
        """Seconds until the deadline; negative once it has passed."""
        return self.deadline - self._clock()

    def check(self) -> None:
        """Raise :class:`OutOfTimeError` once the deadline has passed."""
        if self._clock() >= self.deadline:
            raise OutOfTimeError

    def share(self, part: float) -> Budget:
        """A budget that ends after ``part`` (0 to 1) of what is left of this one."""
        return Budget(self.deadline - self.left() * (1.0 - part), self._clock)

    def steps(self, count: int, seconds: float) -> Budget:
        """A budget that ends after ``count`` looks at it, or with this one.

        Its clock goes on by ``seconds`` with each look, so that a search does as much on a slow machine as on a fast.
        """
        end = count * seconds
        ticks = (step * seconds for step in range(count))
        return Budget(end, lambda: next(ticks, end) if self.left() > 0.0 else end)
