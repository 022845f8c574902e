"""The metrics of a node among others: its store, its beats and the other nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from noughts.app.runtime.number_metrics import COUNTER, GAUGE, Metric, Number, number_families, text_family
from noughts.store.connection_stats import ConnectionStats
from noughts.store.contract import Guarantee


class NodeMetrics(NamedTuple):
    """The numbers of one moment."""

    guarantee: Guarantee = Guarantee("")
    connection: ConnectionStats = ConnectionStats()
    beats: int = 0
    silent_s: float = 0.0
    nodes: int = 0
    clock_offset_ms: int = 0
    downtime_ms: int = 0
    rooms_read_again: int = 0
    players: int = 0
    standstills: int = 0
    standstill_s: float = 0.0

    @property
    def weak(self) -> bool:
        """Whether the store guarantees less than the file does."""
        return self.guarantee.weakness is not None

    @property
    def clock_offset_s(self) -> float:
        return self.clock_offset_ms / 1000

    @property
    def downtime_s(self) -> float:
        return self.downtime_ms / 1000


NUMBERS: Final = (
    Number(
        "noughts_store_weak", GAUGE, "weak", "Whether the store guarantees less than the file does. The log says why."
    ),
    Number("noughts_store_commands", COUNTER, "connection.commands", "Commands sent to Redis."),
    Number("noughts_store_connects", COUNTER, "connection.connects", "Connections made to Redis."),
    Number(
        "noughts_store_timeouts",
        COUNTER,
        "connection.timeouts",
        "Connections to Redis given up because an answer took too long.",
    ),
    Number(
        "noughts_store_conflicts",
        COUNTER,
        "connection.conflicts",
        "Changes not stored because another node had changed the room.",
    ),
    Number("noughts_store_pushes", COUNTER, "connection.pushes", "Messages received from other nodes."),
    Number(
        "noughts_store_round_trip_seconds",
        GAUGE,
        "connection.round_trip_s",
        "Time from the newest command that Redis answered to its answer.",
    ),
    Number(
        "noughts_rooms_read_again",
        COUNTER,
        "rooms_read_again",
        "Rooms read again because messages of other nodes may have been lost.",
    ),
    Number("noughts_heartbeats", COUNTER, "beats", "Beats that the store answered."),
    Number("noughts_heartbeat_age_seconds", GAUGE, "silent_s", "Time since the store last answered a beat."),
    Number("noughts_nodes", GAUGE, "nodes", "Living nodes of the store, this one included."),
    Number("noughts_players", GAUGE, "players", "Players connected to rooms of any node, each counted once."),
    Number(
        "noughts_clock_offset_seconds",
        GAUGE,
        "clock_offset_s",
        "How far this machine's clock is ahead of the store's. Games do not use it.",
    ),
    Number(
        "noughts_downtime_seconds",
        GAUGE,
        "downtime_s",
        "Downtime that the store remembers: time without a node, or without the store.",
    ),
    Number(
        "noughts_standstills",
        COUNTER,
        "standstills",
        "Times that the server or a write to the disk stood still for over a second. Players got the time back.",
    ),
    Number("noughts_standstill_seconds", COUNTER, "standstill_s", "Time that the server or its disk stood still."),
)


def node_families(metrics: NodeMetrics) -> Iterator[Metric]:
    """Yield the metrics for Prometheus's library. On a file, those of a connection are 0."""
    yield text_family(
        "noughts_store_guarantee", "What the store guarantees for an acknowledged move.", metrics.guarantee.text
    )
    yield from number_families(NUMBERS, metrics)
