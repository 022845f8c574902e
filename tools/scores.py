"""The score of a match in words, with its 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Sequence


def score_of(points: Sequence[float]) -> str:
    """Return the mean of the games' points (1 a win, 0.5 a draw) in per cent, with its 95 % interval.

    The interval is 1.96 standard errors of the mean. Raise ValueError for no games.
    """
    if not points:
        raise ValueError("a match without a game")
    mean = sum(points) / len(points)
    spread = math.sqrt(sum((point - mean) ** 2 for point in points) / max(1, len(points) - 1) / len(points))
    return f"{100 * mean:.1f} % +- {196 * spread:.1f}"
