"""The metrics of a node. No token, invite, chat line or query string gets into them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate
from operator import attrgetter
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)

from noughts.store.contract import ConnectionStats, Guarantee

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
COUNTER: Final = CounterMetricFamily
GAUGE: Final = GaugeMetricFamily


class Durations:
    """How often a duration fell into each bucket. The library's own histogram takes five times as long to count one."""

    __slots__ = ("_counts", "_name", "_sum_s", "_text")

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._counts = [0] * (len(BUCKETS_S) + 1)
        self._sum_s = 0.0

    def observe(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(BUCKETS_S, seconds)] += 1
        self._sum_s += seconds

    def collect(self) -> Iterator[Metric]:
        """Yield cumulative counts by upper bound, the last one infinite."""
        bounds = [*(f"{bound:g}" for bound in BUCKETS_S), "+Inf"]
        buckets = list(zip(bounds, accumulate(self._counts), strict=True))
        yield HistogramMetricFamily(self._name, self._text, buckets=buckets, sum_value=self._sum_s)


class Number(NamedTuple):
    """One metric: its name, its kind, the attribute of :class:`Metrics` that has its value, with dots, and its sentence."""

    name: str
    kind: Callable[[str, str, float], Metric]
    attribute: str
    text: str


NUMBERS: Final = (
    Number("noughts_connections", GAUGE, "connections", "Open WebSocket connections."),
    Number("noughts_rooms_hosted", GAUGE, "rooms_held", "Rooms in memory."),
    Number(
        "noughts_log_lines_dropped",
        COUNTER,
        "log_lines_dropped",
        "Log lines that were not written, because the disk was full or nobody read the pipe.",
    ),
    Number("noughts_search_queue", GAUGE, "search_queue", "Searches that wait for a worker."),
    Number(
        "noughts_search_pool_restarts",
        GAUGE,
        "search_worker_restarts",
        "Workers that the server replaced because they died or hung.",
    ),
    Number(
        "noughts_searches_discarded",
        COUNTER,
        "searches_discarded",
        "Searches that were cancelled or whose answer the room rejected, because the game had gone on.",
    ),
    Number("noughts_loop_lag_seconds", GAUGE, "loop_lag_s", "How late the event loop was at the last check."),
    Number(
        "noughts_connections_cut", COUNTER, "connections_cut", "Connections closed because the client did not read."
    ),
    Number(
        "noughts_connections_overdue",
        COUNTER,
        "connections_overdue",
        "Connections dropped because a request or the reading of an answer took too long.",
    ),
    Number(
        "noughts_connections_rejected",
        COUNTER,
        "connections_rejected",
        "Connections rejected or dropped because there were too many.",
    ),
    Number(
        "noughts_backup_age_seconds",
        GAUGE,
        "backup_age_s",
        "Age of the newest good backup: +Inf if none is known, NaN if the server makes none by itself.",
    ),
    Number("noughts_faults", COUNTER, "faults", "Unexpected errors. The log has the traceback of each."),
    Number(
        "noughts_store_batches",
        GAUGE,
        "store_commits",
        "Transactions of the store so far. Commands divided by these is the batch size.",
    ),
    Number("noughts_notices_sent", COUNTER, "notices.sent", "Notices that a push service accepted."),
    Number("noughts_notices_refused", COUNTER, "notices.refused", "Notices that a push service did not accept."),
    Number(
        "noughts_notices_dropped",
        COUNTER,
        "notices.dropped",
        "Notices not sent because the turn had passed, or because too many waited.",
    ),
    Number("noughts_webhook_sent", COUNTER, "webhook.sent", "Messages that the webhook accepted."),
    Number("noughts_webhook_refused", COUNTER, "webhook.refused", "Messages that the webhook did not accept."),
    Number("noughts_webhook_dropped", COUNTER, "webhook.dropped", "Messages not sent because too many waited."),
    # The store, the beats and the other nodes. On a file, the numbers of a connection are 0.
    Number(
        "noughts_store_weak",
        GAUGE,
        "node.weak",
        "Whether the store guarantees less than the file does. The log says why.",
    ),
    Number("noughts_store_commands", COUNTER, "node.connection.commands", "Commands sent to Redis."),
    Number("noughts_store_connects", COUNTER, "node.connection.connects", "Connections made to Redis."),
    Number(
        "noughts_store_timeouts",
        COUNTER,
        "node.connection.timeouts",
        "Connections to Redis given up because an answer took too long.",
    ),
    Number(
        "noughts_store_conflicts",
        COUNTER,
        "node.connection.conflicts",
        "Changes not stored because another node had changed the room.",
    ),
    Number("noughts_store_pushes", COUNTER, "node.connection.pushes", "Messages received from other nodes."),
    Number(
        "noughts_store_round_trip_seconds",
        GAUGE,
        "node.connection.round_trip_s",
        "Time from the newest command that Redis answered to its answer.",
    ),
    Number(
        "noughts_rooms_read_again",
        COUNTER,
        "node.rooms_read_again",
        "Rooms read again because messages of other nodes may have been lost.",
    ),
    Number("noughts_heartbeats", COUNTER, "node.beats", "Beats that the store answered."),
    Number("noughts_heartbeat_age_seconds", GAUGE, "node.silent_s", "Time since the store last answered a beat."),
    Number("noughts_nodes", GAUGE, "node.nodes", "Living nodes of the store, this one included."),
    Number("noughts_players", GAUGE, "node.players", "Players connected to rooms of any node, each counted once."),
    Number(
        "noughts_clock_offset_seconds",
        GAUGE,
        "node.clock_offset_s",
        "How far this machine's clock is ahead of the store's. Games do not use it.",
    ),
    Number(
        "noughts_downtime_seconds",
        GAUGE,
        "node.downtime_s",
        "Downtime that the store remembers: time without a node, or without the store.",
    ),
    Number(
        "noughts_standstills",
        COUNTER,
        "node.standstills",
        "Times that the server or a write to the disk stood still for over a second. Players got the time back.",
    ),
    Number("noughts_standstill_seconds", COUNTER, "node.standstill_s", "Time that the server or its disk stood still."),
)
"""The metrics that are one number each."""


class NodeMetrics(NamedTuple):
    """The numbers of a node among others at one moment: its store, its beats and the other nodes."""

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


class Deliveries:
    """Counts of messages to other servers: those that were accepted, refused, and dropped before a post."""

    __slots__ = ("dropped", "refused", "sent")

    def __init__(self) -> None:
        self.dropped = self.refused = self.sent = 0


class Metrics:
    """Every metric of a node. The plain numbers become types of Prometheus's library only when they are scraped."""

    def __init__(self) -> None:
        self.backup_age_s = float("nan")
        self.connections = 0
        self.connections_cut = 0
        self.connections_overdue = 0
        self.connections_rejected = 0
        self.rooms_held = 0
        self.faults = 0
        self.log_lines_dropped = 0
        self.loop_lag_s = 0.0
        self.search_queue = 0
        self.search_worker_restarts = 0
        self.searches_discarded = 0
        self.store_commits = 0
        self.notices = Deliveries()
        self.webhook = Deliveries()
        self.node = NodeMetrics()
        registry = self._registry = CollectorRegistry()
        self.commands: defaultdict[tuple[str, str], int] = defaultdict(int)
        """How often each type of command had each answer: ``ok`` or the code of the rejection."""
        self.searches: defaultdict[str, int] = defaultdict(int)
        """The number of searches by variant."""
        self.command_seconds = Durations(
            "noughts_command_seconds", "Time from the arrival of a command to its answer, with the write to disk."
        )
        self._search_seconds = Durations(
            "noughts_search_seconds", "Time from the request for a search to its answer, with the wait for a worker."
        )
        for collector in (self.command_seconds, self._search_seconds, _Counts(self)):
            registry.register(collector)

    def search_done(self, variant: str, seconds: float) -> None:
        """Count a search."""
        self.searches[variant] += 1
        self._search_seconds.observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """Yield every metric, for Prometheus's library."""
        return iter(self._registry.collect())

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._registry)


class _Counts:
    """Makes the library's types of a node's plain numbers, as of the moment of a scrape."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        for name, kind, attribute, text in NUMBERS:
            yield kind(name, text, float(attrgetter(attribute)(self._metrics)))
        commands = CounterMetricFamily(
            "noughts_commands",
            "Commands by type and answer: `ok` or the code of the rejection.",
            labels=("type", "answer"),
        )
        for (command, answer), count in self._metrics.commands.items():
            commands.add_metric((command.lower(), answer), count)
        yield commands
        searches = CounterMetricFamily("noughts_searches", "Searches by variant.", labels=("variant",))
        for variant, count in self._metrics.searches.items():
            searches.add_metric((variant,), count)
        yield searches
        guarantee = InfoMetricFamily("noughts_store_guarantee", "What the store guarantees for an acknowledged move.")
        guarantee.add_metric((), {"text": self._metrics.node.guarantee.text})
        yield guarantee
