"""A worker: the process that searches. It reads requests from its input and writes each answer to its output.

It imports the engine and nothing of the server, so it starts fast and stays small.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from noughts.app.search.line_protocol import (
    Answer,
    Fault,
    Limit,
    MinimaxRequest,
    MoveRequest,
    Ready,
    Rejected,
    Reply,
    Request,
    VerdictRequest,
    Warned,
    line,
    raw,
    read_request,
)
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse, analyse_game, choose
from noughts.engine.minimax import explain
from noughts.errors import Rejection
from noughts.rules.game import replay

GARBAGE_THRESHOLDS: Final = (100_000, 50, 50)
"""Searches in Python keep large tables and make no cycles. By default, collections take up to a quarter of their time."""

OOM_SCORE: Final = 500
"""How much sooner Linux kills a worker than the server when memory is short: half of what decides it."""
_PR_SET_PDEATHSIG: Final = 1


class Search:
    """One request and its deadline. Another thread may shorten it."""

    def __init__(self, request: Request, clock: Callable[[], float]) -> None:
        self.request = request
        self._clock = clock
        self._deadline_s = clock() + request.seconds
        self._skipped_s = 0.0

    def limit(self, seconds: float) -> None:
        """End the search within ``seconds``. The rest of its time passes at once on its clock.

        So the shares into which the engine has divided the time become shorter too.
        """
        self._skipped_s += max(0.0, self._deadline_s - self._now_s() - seconds)

    def run(self) -> Reply:
        """Search, and return the reply for the pool. Raise nothing but MemoryError."""
        request = self.request
        try:
            return Answer(request.id, raw(self._value(request)))
        except Rejection as rejection:
            return Rejected(request.id, rejection.code, rejection.message, rejection.ply)
        except MemoryError:  # the tables have filled it: a new process begins without them
            raise
        except Exception:
            return Fault(request.id, traceback.format_exc())

    def _value(self, request: Request) -> object:
        budget = Budget(self._deadline_s, self._now_s)
        if isinstance(request, MoveRequest):
            return choose(replay(request.variant, request.cells), request.level, budget, random.Random(request.seed))
        if isinstance(request, VerdictRequest):
            return analyse(replay(request.variant, request.cells).position, budget).verdict
        if isinstance(request, MinimaxRequest):
            game = replay(request.variant, request.cells)
            return explain(game, request.alpha, request.beta, request.counted_from, request.depth)
        return analyse_game(request.variant, request.cells, budget)

    def _now_s(self) -> float:
        return self._clock() + self._skipped_s


class Worker:
    """Searches for one request after another. One thread reads the requests, and another searches."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._searches: SimpleQueue[Search] = SimpleQueue()

    def read(self, lines: Iterable[bytes]) -> None:
        """Queue each request and carry out each limit, until the lines end."""
        latest: Search | None = None
        for text in lines:
            message = read_request(text)
            if not isinstance(message, Limit):
                latest = Search(message, self._clock)
                self._searches.put(latest)
            elif latest is not None and latest.request.id == message.id:
                latest.limit(message.seconds)

    def replies(self) -> Iterator[bytes]:
        """Yield ``ready``, then the warnings and the reply of each request, as lines. Wait for the next one without end."""
        yield line(Ready())
        while True:
            search = self._searches.get()
            with warnings.catch_warnings(record=True) as records:
                reply = search.run()
            for record in records:
                yield line(Warned(str(record.message)))
            yield line(reply)


def main(niceness: int) -> None:
    """Answer the process that started this one, until that process closes the input or ends.

    A nicer process than the server does not delay its event loop.
    """
    # Ctrl-C in a terminal, the end of a terminal, and systemd, which stops all processes of a unit, mean the server. It ends
    # its workers.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(niceness)
    end_with_the_server()
    give_way_when_memory_is_short()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
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
    except MemoryError:
        os._exit(1)


def end_with_the_server() -> None:
    """Let Linux kill this process when the server ends. A process that a signal has stopped reads no end of its input."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def give_way_when_memory_is_short() -> None:
    """Let Linux kill this process before the server: the pool starts another one."""
    with suppress(OSError, ValueError):  # not Linux, or not allowed
        path = Path("/proc/self/oom_score_adj")
        path.write_text(str(min(1_000, int(path.read_text()) + OOM_SCORE)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
