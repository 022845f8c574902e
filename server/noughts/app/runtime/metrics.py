"""The metrics of a node. No token, invite, chat line or query string gets into them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from noughts.app.runtime.node_metrics import NodeMetrics, node_families
from noughts.app.runtime.number_metrics import COUNTER, GAUGE, Number, number_families

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Histogram:
    """How often a duration fell into each bucket."""

    __slots__ = ("_counts", "_sum_s")

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS_S) + 1)
        self._sum_s = 0.0

    def observe(self, seconds: float) -> None:
        """Count one duration."""
        self._counts[bisect_left(BUCKETS_S, seconds)] += 1
        self._sum_s += seconds

    def family(self, name: str, text: str) -> HistogramMetricFamily:
        """Return the metric for Prometheus's library: cumulative counts by upper bound, the last one infinite."""
        bounds = [*(f"{bound:g}" for bound in BUCKETS_S), "+Inf"]
        return HistogramMetricFamily(
            name, text, buckets=list(zip(bounds, accumulate(self._counts), strict=True)), sum_value=self._sum_s
        )


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
    Number("noughts_faults", COUNTER, "faults", "Unexpected errors. The log has the traceback of each."),
    Number(
        "noughts_store_batches",
        GAUGE,
        "store_commits",
        "Transactions of the store so far. Commands divided by these is the batch size.",
    ),
)
"""The metrics of :class:`Metrics` that are one number."""


class Metrics:
    """Every metric of a node, as plain numbers. Prometheus's types are made only when they are scraped."""

    def __init__(self) -> None:
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
        self.node = NodeMetrics()
        self.command_seconds = Histogram()
        self.search_seconds = Histogram()
        self._commands: defaultdict[tuple[str, str], int] = defaultdict(int)
        """How often each type of command had each answer."""
        self._searches: Counter[str] = Counter()

    def command_answered(self, command: str, answer: str) -> None:
        """Count a command by its type and its answer: ``ok`` or the code of the rejection."""
        self._commands[command, answer] += 1

    def search_done(self, variant: str, seconds: float) -> None:
        """Count a search."""
        self._searches[variant] += 1
        self.search_seconds.observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """Yield every metric, for Prometheus's library."""
        commands = CounterMetricFamily(
            "noughts_commands",
            "Commands by type and answer: `ok` or the code of the rejection.",
            labels=("type", "answer"),
        )
        for (command, answer), count in self._commands.items():
            commands.add_metric((command.lower(), answer), count)
        yield commands
        yield self.command_seconds.family(
            "noughts_command_seconds", "Time from the arrival of a command to its answer, with the write to disk."
        )
        searches = CounterMetricFamily("noughts_searches", "Searches by variant.", labels=("variant",))
        for variant, count in self._searches.items():
            searches.add_metric((variant,), count)
        yield searches
        yield self.search_seconds.family(
            "noughts_search_seconds", "Time from the request for a search to its answer, with the wait for a worker."
        )
        yield from number_families(NUMBERS, self)
        yield from node_families(self.node)

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self)
        return generate_latest(registry)
