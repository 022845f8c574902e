"""Writes log lines and addresses on a thread of its own, so that a log that cannot be written stops nothing else.

A pipe that nobody reads blocks the thread, and a full disk fails it. Meanwhile lines wait up to a limit. Further ones are
dropped and counted.
"""

from __future__ import annotations

import os
import queue
import select
import threading
from types import TracebackType
from typing import Final

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
