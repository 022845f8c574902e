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
        more_is_better: Whether the largest value is the best one; other load of the machine makes it smaller.
    """

    name: str
    unit: str
    samples: Sequence[float]
    beside: str = ""
    reference: Sequence[float] = ()
    goal: float | None = None
    more_is_better: bool = False

    @property
    def value(self) -> float:
        """The best sample: other load of the machine only makes it worse."""
        return self._best(self.samples)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def ratio(self) -> float | None:
        """The ratio of the best samples."""
        return self.value / self._best(self.reference) if self.reference else None

    @property
    def paired_ratio(self) -> float | None:
        """The median of the ratios round by round, or else the ratio of the medians."""
        if not self.reference:
            return None
        if len(self.samples) != len(self.reference):
            return self.median / statistics.median(self.reference)
        return statistics.median([one / other for one, other in zip(self.samples, self.reference, strict=True)])

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal."""
        if self.goal is None:
            return None
        return (self.value if self.ratio is None else self.ratio) <= self.goal

    def _best(self, samples: Sequence[float]) -> float:
        return max(samples) if self.more_is_better else min(samples)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of all lie at or below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def save(figures: Iterable[Figure], path: Path) -> None:
    """Write figures to a file of JSON, with what is derived from each."""
    derived = ("value", "median", "ratio", "paired_ratio", "met")
    rows = [{**dataclasses.asdict(each), **{name: getattr(each, name) for name in derived}} for each in figures]
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def print_table(figures: Iterable[Figure]) -> None:
    """Print a line for each figure: best and median, and how it compares, by the best and by the round."""
    print(f"{'':58} {'best':>9} {'median':>9} {'':6} {'ratio':>6} {'by round':>8}  {'beside':18} goal")
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        paired = "" if figure.paired_ratio is None else f"{figure.paired_ratio:.2f}"
        goal = "" if figure.goal is None else f"at most {figure.goal:g}: {'met' if figure.met else 'MISSED'}"
        numbers = f"{short(figure.value):>9} {short(figure.median):>9} {figure.unit:6}"
        print(f"{figure.name:58} {numbers} {ratio:>6} {paired:>8}  {figure.beside:18} {goal}".rstrip(), flush=True)


def short(value: float) -> str:
    """Return a number with about three digits."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
