"""A worker: the process that searches. It reads requests from its input and writes each answer to its output.

It imports the engine and nothing of the server, so it starts fast and stays small.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import Final

from noughts.app.search.line_protocol import (
    Answer,
    Cancel,
    Fault,
    MoveRequest,
    Ready,
    Rejected,
    Reply,
    Request,
    VerdictRequest,
    line,
    raw,
    read_request,
)
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse, analyse_game, choose
from noughts.errors import Rejection
from noughts.rules.game import replay

_NICENESS: Final = 10
"""The workers' niceness, so that a search does not delay the event loop of the server."""


class Search:
    """One request and its deadline. Another thread may cancel it."""

    def __init__(self, request: Request, clock: Callable[[], float]) -> None:
        self.request = request
        self._clock = clock
        self._deadline_s = clock() + request.seconds
        self._cancelled = False

    def cancel(self) -> None:
        """End the search when it next looks at its clock."""
        self._cancelled = True

    def run(self) -> Reply:
        """Search, and return the reply for the pool. Never raise."""
        request = self.request
        try:
            return Answer(request.id, raw(self._value(request)))
        except Rejection as rejection:
            return Rejected(request.id, rejection.code, rejection.message, rejection.ply)
        except Exception:
            return Fault(request.id, traceback.format_exc())

    def _value(self, request: Request) -> object:
        budget = Budget(self._deadline_s, self._now_s)
        if isinstance(request, MoveRequest):
            return choose(replay(request.variant, request.cells), request.level, budget, random.Random(request.seed))
        if isinstance(request, VerdictRequest):
            return analyse(replay(request.variant, request.cells).position, budget).verdict
        return analyse_game(request.variant, request.cells, budget)

    def _now_s(self) -> float:
        # Not infinity: the engine adds a share of the time left to the time, and infinity minus infinity is no number.
        return self._deadline_s + 1.0 if self._cancelled else self._clock()


class Worker:
    """Searches for one request after another. One thread reads the requests, and another searches."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._searches: SimpleQueue[Search] = SimpleQueue()

    def read(self, lines: Iterable[bytes]) -> None:
        """Queue each request and carry out each cancellation, until the lines end."""
        latest: Search | None = None
        for text in lines:
            message = read_request(text)
            if not isinstance(message, Cancel):
                latest = Search(message, self._clock)
                self._searches.put(latest)
            elif latest is not None and latest.request.id == message.id:
                latest.cancel()

    def replies(self) -> Iterator[bytes]:
        """Yield ``ready``, then the reply to each request, as lines. Wait for the next request without end."""
        yield line(Ready())
        while True:
            yield line(self._searches.get().run())


def main() -> None:
    """Answer the process that started this one, until that process closes the input or ends."""
    # Ctrl-C in a terminal, and the end of a terminal, are for the server, which ends its workers.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICENESS)
    worker = Worker()

    def read() -> None:
        try:
            worker.read(sys.stdin.buffer)
        finally:
            os._exit(0)  # in the middle of a search too: the server has ended

    threading.Thread(target=read, daemon=True).start()
    try:
        for text in worker.replies():  # pragma: no branch (it has no end)
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
