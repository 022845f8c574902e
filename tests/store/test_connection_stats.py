"""The counters of a connection to a store."""

from __future__ import annotations

from noughts.store.connection_stats import ConnectionStats


def test_all_counters_begin_at_zero() -> None:
    stats = ConnectionStats()
    assert [getattr(stats, name) for name in ConnectionStats.__slots__] == [0] * len(ConnectionStats.__slots__)
