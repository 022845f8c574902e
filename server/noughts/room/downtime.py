"""Downtime: a span in which no player could play, because the server or its store was away. It costs no player any time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Downtime(NamedTuple):
    """A span of downtime that is over, in Unix milliseconds."""

    from_ms: int
    until_ms: int


def downtime_since_ms(downtimes: Iterable[Downtime], since_ms: int) -> int:
    """Return how many milliseconds since a moment were downtime. Time in several spans counts once."""
    lost_ms, counted_until_ms = 0, since_ms
    for span in sorted(downtimes):
        if span.until_ms > counted_until_ms:
            lost_ms += span.until_ms - max(span.from_ms, counted_until_ms)
            counted_until_ms = span.until_ms
    return lost_ms


def absence_since_ms(downtimes: Iterable[Downtime], departed_ms: int, grace_ms: int) -> int:
    """Return when an absence counts as begun, so that its first ``grace_ms`` leave out downtime.

    Downtime after that changes nothing: a claim that the absence has given stays.
    """
    since_ms = departed_ms
    for span in sorted(downtimes):
        if span.until_ms > since_ms and span.from_ms < since_ms + grace_ms:
            since_ms += span.until_ms - max(span.from_ms, since_ms)
    return since_ms
