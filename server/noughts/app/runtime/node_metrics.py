"""The metrics of a node among others: its store, its beats and the other nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric

from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import Guarantee


class NodeFigures(NamedTuple):
    """The numbers of one moment."""

    guarantee: Guarantee = Guarantee("")
    connection: ConnectionStats = ConnectionStats()
    beats: int = 0
    silent_s: float = 0.0
    nodes: int = 0
    clock_offset_ms: int = 0
    downtime_ms: int = 0
    rooms_read_again: int = 0


def node_families(figures: NodeFigures) -> Iterator[Metric]:
    """Yield the metrics for Prometheus's library. On a file, those of a connection are 0."""
    gauge, counter, connection = GaugeMetricFamily, CounterMetricFamily, figures.connection
    info = InfoMetricFamily("noughts_store_guarantee", "What the store guarantees for an acknowledged move.")
    info.add_metric((), {"text": figures.guarantee.text})
    yield info
    yield gauge(
        "noughts_store_weak",
        "Whether the store guarantees less than the file does. The log says why.",
        float(figures.guarantee.weakness is not None),
    )
    yield counter("noughts_store_commands", "Commands sent to Redis.", connection.commands)
    yield counter("noughts_store_connects", "Connections made to Redis.", connection.connects)
    yield counter(
        "noughts_store_timeouts", "Connections to Redis given up because an answer took too long.", connection.timeouts
    )
    yield counter(
        "noughts_store_conflicts",
        "Changes not stored because another node had changed the room.",
        connection.conflicts,
    )
    yield counter("noughts_store_pushes", "Messages received from other nodes.", connection.pushes)
    yield gauge(
        "noughts_store_round_trip_seconds",
        "Time from the newest command that Redis answered to its answer.",
        connection.round_trip_s,
    )
    yield counter(
        "noughts_rooms_read_again",
        "Rooms read again because messages of other nodes may have been lost.",
        figures.rooms_read_again,
    )
    yield counter("noughts_heartbeats", "Beats that the store answered.", figures.beats)
    yield gauge("noughts_heartbeat_age_seconds", "Time since the store last answered a beat.", figures.silent_s)
    yield gauge("noughts_nodes", "Living nodes of the store, this one included.", figures.nodes)
    yield gauge(
        "noughts_clock_offset_seconds",
        "How far this machine's clock is ahead of the store's. Games do not use it.",
        figures.clock_offset_ms / 1000,
    )
    yield gauge(
        "noughts_downtime_seconds",
        "Downtime that the store remembers: time without a node, or without the store.",
        figures.downtime_ms / 1000,
    )
