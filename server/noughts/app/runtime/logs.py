"""The log lines of a node and of its libraries. No token, invite, chat line or query string gets into them.

Players cause most lines, so each kind of line is limited before it is rendered (:class:`LineRate`). A thread of its own
writes them, so a log that cannot be written stops nothing else. A pipe that nobody reads blocks the thread, and a full disk
fails it. Meanwhile lines wait up to a limit. Further ones are dropped and counted.
"""

from __future__ import annotations

import logging
import os
import queue
import select
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, TextIO, cast

import structlog
from aiohttp.http_exceptions import HttpProcessingError

AUDIT: Final = "admin command"
"""The text of the lines about what the operator did. All of them are written."""
LINES: Final = 5
"""The most lines with one text that are written at once."""
LINE_S: Final = 60.0
"""Seconds until one more line with that text may be written."""
MAX_TEXTS: Final = 1_000
"""The most texts that are counted. After that, counting starts again."""


class LineRate:
    """Drops lines with a text of which many were written lately. The next line that is written counts those dropped.

    Rendering a line takes the event loop as long as a move does. Dropping one takes it a fiftieth of that.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._used_s: dict[str, float] = {}
        """For each text, the time at which it has all its lines again."""
        self._dropped: dict[str, int] = {}

    def dropped_before(self, text: str) -> int | None:
        """Count a line with this text. Return how many before it were dropped; None to drop this one too."""
        now_s = self._now_s()
        used_s = self._used_s.get(text, 0.0)
        if used_s > now_s + (LINES - 1) * LINE_S and text != AUDIT:
            self._dropped[text] = self._dropped.get(text, 0) + 1
            return None
        if len(self._used_s) >= MAX_TEXTS:
            self._used_s.clear()
            self._dropped.clear()
        self._used_s[text] = max(used_s, now_s) + LINE_S
        return self._dropped.pop(text, 0)

    def applied(self, log: Callable[..., object]) -> Callable[..., object]:
        """Return a method of a logger that drops lines before it does any other work."""

        def log_some(logger: object, text: str, **fields: object) -> object:
            dropped = self.dropped_before(text)
            if dropped is None:
                return None
            return log(logger, text, **fields, dropped_before=dropped) if dropped else log(logger, text, **fields)

        return log_some

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a line of a library."""
        return self.dropped_before(str(record.msg)) is not None


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
    rate = LineRate()
    bound = structlog.make_filtering_bound_logger(number)
    written = [name for name in ("info", "warning", "error") if logging.getLevelNamesMapping()[name.upper()] >= number]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=type("LimitedLogger", (bound,), {name: rate.applied(getattr(bound, name)) for name in written}),
        logger_factory=structlog.WriteLoggerFactory(file),
        cache_logger_on_first_use=True,
    )
    # The loggers of the libraries (aiohttp, asyncio) use the same format.
    handler = logging.StreamHandler(file)
    handler.addFilter(rate.filter)
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


MAX_WAITING: Final = 2 << 20
"""The most characters that wait to be written."""
END_S: Final = 1.0
"""How long the end of the server waits for the last lines."""


class LogWriter:
    """A file-like object that never blocks and never raises. Use it in a ``with`` statement."""

    def __init__(self, descriptor: int, max_waiting: int = MAX_WAITING, end_s: float = END_S) -> None:
        """``descriptor`` is that of an open file. It is not closed."""
        self._max_waiting = max_waiting
        self._end_s = end_s
        self.dropped = 0
        """Pieces of text that were not written: log lines, as loggers write each in one piece."""
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._waiting = 0
        self._texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="log", daemon=True)

    def __enter__(self) -> LogWriter:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._texts.put(None)
        self._thread.join(self._end_s)

    def write(self, text: str) -> int:
        """Let the thread write a text, or drop it if too much waits already."""
        size = len(text)
        with self._lock:
            if self._waiting > self._max_waiting:
                self.dropped += 1
                return size
            self._waiting += size
        self._texts.put(text)
        return size

    def flush(self) -> None:
        """Do nothing: the thread writes each text at once."""

    def isatty(self) -> bool:
        """Return whether the log goes to a terminal."""
        return os.isatty(self._descriptor)

    def _serve(self) -> None:
        while (text := self._texts.get()) is not None:
            written = self._write(text.encode("utf-8", "backslashreplace"))
            with self._lock:
                self._waiting -= len(text)
                self.dropped += not written

    def _write(self, data: bytes) -> bool:
        """Write bytes, however long that takes. Return False if that fails."""
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:  # another program that has the same pipe or terminal made it so
                select.select((), (self._descriptor,), ())
            except OSError:
                return False
        return True


def shown(id: str) -> str:
    """Return the beginning of an id, as log lines show it: the whole id of an unlisted room lets its reader watch."""
    return id[:8]
