"""The deadline of a search. The clock is an argument: the engine reads no clock of its own."""

from __future__ import annotations

from collections.abc import Callable


class OutOfTimeError(Exception):
    """The budget is spent: the search stops, and the kernel returns the results that are proved so far."""


class Budget:
    """A deadline on the caller's clock, in seconds of a monotonic clock.

    A kernel calls :meth:`check` once in many nodes, because reading a clock costs as much as a node.
    """

    __slots__ = ("_clock", "counts_readings", "deadline")

    def __init__(self, deadline: float, clock: Callable[[], float], *, counts_readings: bool = False) -> None:
        """Set the deadline. ``counts_readings`` says that the clock advances with each reading.

        A compiled search reads such a clock once in few nodes, and any other one less often.
        """
        self.deadline = deadline
        self.counts_readings = counts_readings
        self._clock = clock

    def left(self) -> float:
        """Return the seconds until the deadline, negative after it."""
        return self.deadline - self._clock()

    def check(self) -> None:
        """Raise :class:`OutOfTimeError` at the deadline and after it."""
        if self._clock() >= self.deadline:
            raise OutOfTimeError

    def share(self, part: float) -> Budget:
        """Return a budget that ends after ``part`` (0 to 1) of the time left in this one."""
        end = self.deadline - self.left() * (1.0 - part)
        return Budget(end, self._clock, counts_readings=self.counts_readings)

    def at_most(self, seconds: float) -> Budget:
        """Return a budget that ends after ``seconds``, or with this one if that is sooner."""
        end = min(self.deadline, self._clock() + seconds)
        return Budget(end, self._clock, counts_readings=self.counts_readings)

    def clock_readings(self, count: int, seconds: float) -> Budget:
        """Return a budget that ends after its clock was read ``count`` times, or with this one if that is sooner.

        Its clock advances by ``seconds`` with each reading. A search reads the clock once in a fixed number of nodes,
        so it does the same work on a slow machine as on a fast one.
        """
        end = count * seconds
        ticks = (reading * seconds for reading in range(count))
        return Budget(end, lambda: next(ticks, end) if self.left() > 0.0 else end, counts_readings=True)
