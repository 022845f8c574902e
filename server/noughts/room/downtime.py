"""Downtime: a span in which no player could play, because the server or its store was away. It costs no player any time.

Spans are given in the order of their ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Downtime(NamedTuple):
    """A span of downtime that is over, in Unix milliseconds."""

    from_ms: int
    until_ms: int


def downtime_ms(downtimes: Sequence[Downtime], since_ms: int, until_ms: int) -> int:
    """Return how many milliseconds between two moments were downtime. Time in several spans counts once."""
    lost_ms, counted_from_ms = 0, until_ms
    for span in reversed(downtimes):
        if span.until_ms <= since_ms:
            break  # the spans before it end earlier
        from_ms, span_until_ms = max(span.from_ms, since_ms), min(span.until_ms, counted_from_ms)
        if span_until_ms > from_ms:
            lost_ms += span_until_ms - from_ms
            counted_from_ms = from_ms
    return lost_ms


def absence_since_ms(downtimes: Iterable[Downtime], departed_ms: int, grace_ms: int) -> int:
    """Return when an absence counts as begun, so that its first ``grace_ms`` leave out downtime.

    Time in several spans counts once. Downtime after the first ``grace_ms`` changes nothing: a claim that the absence has
    given stays.
    """
    since_ms = counted_until_ms = departed_ms
    for span in sorted(downtimes):
        from_ms = max(span.from_ms, counted_until_ms)
        if from_ms < min(span.until_ms, since_ms + grace_ms):
            since_ms += span.until_ms - from_ms
            counted_until_ms = span.until_ms
    return since_ms
