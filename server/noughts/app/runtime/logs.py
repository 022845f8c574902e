"""The log lines of a node and of its libraries. No token, invite, chat line or query string gets into them."""

from __future__ import annotations

import logging
import sys
from typing import TextIO, cast

import structlog
from aiohttp.http_exceptions import HttpProcessingError

from noughts.app.runtime.log_writer import LogWriter


def set_up_logs(level: str, form: str, node: str = "", stream: LogWriter | TextIO | None = None) -> None:
    """Write structured log lines, as text for people or as JSON, each with the node's name.

    They go to ``stream``, or to standard error.
    """
    file = cast("TextIO", stream or sys.stderr)

    def add_node(logger: object, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        if node:
            event["node"] = node
        return event

    number = logging.getLevelNamesMapping()[level.upper()]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if form == "json" else structlog.dev.ConsoleRenderer(colors=file.isatty())
    )
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        add_node,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file),
        cache_logger_on_first_use=True,
    )
    # The loggers of the libraries (aiohttp, asyncio) use the same format.
    handler = logging.StreamHandler(file)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.WARNING))
    # It quotes the subprotocols that a client asks for. Some clients send their token there.
    logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)
    logging.getLogger("aiohttp.server").addFilter(_is_about_http)


def _is_about_http(record: logging.LogRecord) -> bool:
    """Return whether a log record is about anything but a malformed request.

    Malformed requests come all day from the internet, and a log line would quote them, with any secrets in them.
    """
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)
