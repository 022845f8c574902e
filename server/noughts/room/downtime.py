"""Downtime: a span in which no player could play, because the server or its store was away. It costs nobody any time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Downtime(NamedTuple):
    """A span of downtime that is over, in Unix milliseconds."""

    from_ms: int
    until_ms: int


def downtime_since_ms(downtimes: Iterable[Downtime], since_ms: int) -> int:
    """Return how much of these spans lies after a moment."""
    return sum(span.until_ms - max(span.from_ms, since_ms) for span in downtimes if span.until_ms > since_ms)
