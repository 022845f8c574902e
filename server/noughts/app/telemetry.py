"""Logs and metrics. No token, invite, chat line or query string gets into either."""

from __future__ import annotations

import logging
import sys
from typing import Final

import structlog
from aiohttp.http_exceptions import HttpProcessingError
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Metrics:
    """Every metric of a server, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self.connections = Gauge("noughts_connections", "Open WebSockets.", registry=registry)
        self.hosted = Gauge("noughts_rooms_hosted", "Rooms held in memory.", registry=registry)
        self.commands = Counter("noughts_commands", "Commands by answer.", ("type", "answer"), registry=registry)
        self._answered: dict[tuple[str, str], Counter] = {}
        self.command_seconds = Histogram(
            "noughts_command_seconds", "From a command's arrival to its answer.", buckets=_SECONDS, registry=registry
        )
        self.searches = Counter("noughts_searches", "Searches by variant.", ("variant",), registry=registry)
        self.search_seconds = Histogram(
            "noughts_search_seconds", "From a search asked for to its answer.", buckets=_SECONDS, registry=registry
        )
        self.search_queue = Gauge("noughts_search_queue", "Searches that wait for a worker.", registry=registry)
        self.pool_restarts = Gauge("noughts_search_pool_restarts", "Search workers replaced.", registry=registry)
        self.loop_lag = Gauge("noughts_loop_lag_seconds", "How late the event loop's last look was.", registry=registry)
        self.cut = Counter("noughts_connections_cut", "Clients cut for not reading.", registry=registry)
        self.faults = Counter("noughts_faults", "Unexpected errors, logged whole.", registry=registry)
        self.batches = Gauge("noughts_store_batches", "Transactions of the store so far.", registry=registry)

    def answered(self, command: str, answer: str) -> None:
        """Count a command; the labelled counter is looked up once."""
        counter = self._answered.get((command, answer))
        if counter is None:
            counter = self._answered[command, answer] = self.commands.labels(command, answer)
        counter.inc()

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)


def set_up_logs(level: str, form: str) -> None:
    """Structured lines to standard error, for people or as JSON."""
    number = logging.getLevelNamesMapping()[level.upper()]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # The libraries' own loggers (aiohttp, asyncio) go the same way.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger("aiohttp.server").addFilter(_is_no_nonsense)


def _is_no_nonsense(record: logging.LogRecord) -> bool:
    """Whether a record is not about bytes that are no HTTP request: strangers send those all day, and what would be
    logged of them may hold a secret."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)
