"""What the benchmark has measured: one figure a line, kept as JSON and printed as a table."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """One measured quantity, with what it is compared to.

    Args:
        name: What was measured.
        unit: The unit of the samples.
        samples: One value for each round.
        beside: What it is compared to; empty if nothing.
        reference: The other's values, in the same unit and, if they alternated, round by round.
        goal: The most that the ratio may be, or without a reference the most that the value may be.
        subject: The server that was measured, where several are measured alike.
        more_is_better: Whether the largest value is the best one; other load of the machine makes it smaller.
    """

    name: str
    unit: str
    samples: Sequence[float]
    beside: str = ""
    reference: Sequence[float] = ()
    goal: float | None = None
    subject: str = ""
    more_is_better: bool = False

    @property
    def value(self) -> float:
        """Return the best sample: other load of the machine only makes it worse."""
        return self._best(self.samples)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def ratio(self) -> float | None:
        """Return the ratio of the best samples."""
        return self.value / self._best(self.reference) if self.reference else None

    @property
    def median_ratio(self) -> float | None:
        """Return the ratio of the medians."""
        return self.median / statistics.median(self.reference) if self.reference else None

    @property
    def met(self) -> bool | None:
        """Return whether the goal is met; None without a goal."""
        if self.goal is None:
            return None
        return (self.value if self.ratio is None else self.ratio) <= self.goal

    def _best(self, samples: Sequence[float]) -> float:
        return max(samples) if self.more_is_better else min(samples)


def save(figures: Iterable[Figure], path: Path) -> None:
    """Write figures to a file of JSON."""
    path.write_text(json.dumps([dataclasses.asdict(figure) for figure in figures]))


def load(path: Path) -> list[Figure]:
    """Read what ``save`` has written."""
    return [Figure(**fields) for fields in json.loads(path.read_text())]


def summary(figure: Figure) -> dict[str, object]:
    """Return a figure with what is derived from it, for the results that are kept."""
    derived = ("value", "median", "ratio", "median_ratio", "met")
    return {**dataclasses.asdict(figure), **{name: getattr(figure, name) for name in derived}}


def print_table(figures: Iterable[Figure]) -> None:
    """Print a line for each figure: best and median, and both as ratios to what it is compared to."""
    print(f"{'':58} {'best':>9} {'median':>9} {'':6} {'ratio':>6} {'(med.)':>7}  {'beside':18} goal")
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        median_ratio = "" if figure.median_ratio is None else f"{figure.median_ratio:.2f}"
        goal = "" if figure.goal is None else f"at most {figure.goal:g}: {'met' if figure.met else 'MISSED'}"
        numbers = f"{short(figure.value):>9} {short(figure.median):>9} {figure.unit:6}"
        print(
            f"{figure.name:58} {numbers} {ratio:>6} {median_ratio:>7}  {figure.beside:18} {goal}".rstrip(), flush=True
        )


def short(value: float) -> str:
    """Return a number with about three digits."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
