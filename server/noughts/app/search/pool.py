"""The search pool: worker processes with one search at a time. A worker that dies or hangs is replaced alone."""

from __future__ import annotations

import asyncio
import itertools
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import structlog
from msgspec.structs import replace

from noughts.app.search.line_protocol import (
    AnalysisRequest,
    Fault,
    MinimaxRequest,
    MoveRequest,
    Rejected,
    Reply,
    Request,
    VerdictRequest,
    value,
)
from noughts.app.search.search import Caller, Search, unavailable
from noughts.app.search.search_queue import SearchQueue
from noughts.app.search.worker_process import WorkerLostError, WorkerProcess
from noughts.engine.minimax import Explained
from noughts.engine.verdict import AnalysedPly, Choice, Verdict
from noughts.errors import Rejection
from noughts.rules.game import Game
from noughts.rules.variant import Variant

T = TypeVar("T")

TARGET_SHARE: Final = 1.5
"""A move should be there after this many times its seconds, the wait for a worker included. More searches than fit into this
time become shorter."""
WATCH_S: Final = 0.25
"""Seconds between two checks of a worker that searches: whether a signal has stopped it."""
LATE_S: Final = 5.0
"""Seconds after the end of a search, or its cancellation. A worker that has not answered by then hangs. A search ends within
10 to 200 ms. On a machine that is busy with other work it takes longer, but a new worker would take longer still."""
SHORTENED_S: Final = 0.02
"""A search that runs is shortened by this much or more, in seconds, or not at all."""
START_S: Final = 30.0
"""Seconds after the start of a process. A worker that is not ready by then is killed."""
_MAX_PAUSE_S: Final = 5.0
"""The longest pause between two tries to start a worker, in seconds."""

log = structlog.get_logger()

MOST_WORKERS: Final = 4
"""The most workers unless the operator sets a number."""
CPU_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
"""Microseconds of all cores in a period, or ``max``, and the period: what a container may use."""


def usable_cores(quota: Path = CPU_QUOTA) -> int:
    """Return how many cores this process may use: not those of the machine, where a container has fewer. At least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError, ZeroDivisionError):
        used_us, period_us = quota.read_text(encoding="ascii").split()
        cores = min(cores, int(used_us) // int(period_us))  # "max" is no number
    return max(1, cores)


class SearchFaultError(Exception):
    """A search raised an exception that is not a rejection. The message is the worker's traceback."""


class SearchPool:
    """Search workers, and the queue before them.

    When a worker dies, its search is given to another worker once; after a second death the search is ``unavailable``. A
    worker that hangs is killed, which counts as a death. A caller cancels a search by cancelling its wait for the value:
    a queued search leaves the queue, and a running search ends at once. A running search becomes shorter when others come.
    """

    def __init__(
        self,
        workers: int,
        *,
        niceness: int = 10,
        idle_s: float | None = None,
        late_s: float = LATE_S,
        start_s: float = START_S,
    ) -> None:
        """Set the number of workers. 0 means one for each processor, at most four.

        With ``idle_s``, a worker starts when a search needs it, and ends after this many seconds without one.
        """
        self.workers = workers or min(MOST_WORKERS, usable_cores())
        self.busy = 0
        """Workers that search."""
        self.restarts = 0
        """Workers replaced so far."""
        self.late_s = late_s
        self.start_s = start_s
        self._niceness = niceness
        self._idle_s = idle_s
        self._queue = SearchQueue(self.workers)
        self._ids = itertools.count(1)
        self._processes: set[WorkerProcess] = set()
        self._running: dict[Search, WorkerProcess] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._ready: list[asyncio.Future[None]] = []

    @property
    def waiting(self) -> int:
        """Return the number of searches in the queue."""
        return len(self._queue)

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the workers that run."""
        return tuple(process.pid for process in self._processes)

    async def start(self) -> None:
        """Start every worker, and wait until each is ready. Searches that come earlier wait in the queue.

        Workers that start on demand do so when a search comes.
        """
        loop = asyncio.get_running_loop()
        for _ in range(self.workers):
            ready: asyncio.Future[None] = loop.create_future()
            self._ready.append(ready)
            self._tasks.append(loop.create_task(self._keep_worker(ready)))
        if self._idle_s is None:
            await asyncio.wait(self._ready)

    async def stop(self) -> None:
        """End every worker at once, in the middle of a search too. From now on every search is ``unavailable``."""
        self._queue.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for ready in self._ready:
            ready.cancel()

    async def move(
        self, variant: Variant, cells: tuple[int, ...], level: str, seconds: float, seed: int, caller: Caller
    ) -> Choice:
        """Return the engine's move after ``cells``, searched for ``seconds`` at most. Raise ``unavailable``."""
        request = MoveRequest(next(self._ids), variant, cells, seconds, level, seed)
        return await self._search(request, Choice, caller, TARGET_SHARE * seconds)

    async def verdict(self, variant: Variant, cells: tuple[int, ...], seconds: float, caller: Caller) -> Verdict:
        """Return the verdict for the side to move after ``cells``, as :meth:`move` does."""
        request = VerdictRequest(next(self._ids), variant, cells, seconds)
        return await self._search(request, Verdict, caller, TARGET_SHARE * seconds)

    async def analysis(
        self, variant: Variant, cells: tuple[int, ...], seconds: float, wait_s: float, caller: Caller
    ) -> list[AnalysedPly]:
        """Return the verdict of every position of a game, within ``seconds`` in all, the wait for a worker included.

        A worker that is free later only looks at what its tables know. Raise ``unavailable`` too if none is free within
        ``wait_s``.
        """
        request = AnalysisRequest(next(self._ids), variant, cells, seconds)
        return await self._search(request, list[AnalysedPly], caller, seconds, wait_s)

    async def explained(
        self, game: Game, alpha: int, beta: int, counted_from: int, depth: int, wait_s: float, caller: Caller
    ) -> Explained:
        """Return what minimax and alpha-beta do at a position of 3x3. Raise ``unavailable`` as :meth:`analysis` does."""
        request = MinimaxRequest(next(self._ids), game.variant, game.moves, wait_s, alpha, beta, counted_from, depth)
        return await self._search(request, Explained, caller, wait_s, wait_s)

    async def _search(
        self, request: Request, form: type[T], caller: Caller, target_s: float, wait_s: float | None = None
    ) -> T:
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        expires_s = None if wait_s is None else now_s + wait_s
        search = Search(request, caller, now_s + target_s, expires_s, loop.create_future())
        self._queue.put(search)
        self._shorten_running(now_s)
        try:
            reply = await search.answer
        finally:
            self._queue.remove(search)
        if isinstance(reply, Rejection):
            raise reply
        if isinstance(reply, Rejected):
            raise Rejection(reply.code, reply.message, ply=reply.ply)
        if isinstance(reply, Fault):
            raise SearchFaultError(reply.traceback)
        return value(reply, form)

    def _shorten_running(self, now_s: float) -> None:
        """Shorten as many searches as wait, if they have more than their share of time: those that end first."""
        ends = [(min(search.ends_s, self._queue.end_s(search)), search) for search in self._running]
        ends.sort(key=lambda end: end[0])
        for end_s, search in ends[: len(self._queue)]:
            if end_s < search.ends_s - SHORTENED_S:
                search.ends_s = end_s
                self._running[search].limit(search.request, end_s - now_s)

    # --- one worker -------------------------------------------------------------------------------------------------

    async def _keep_worker(self, ready: asyncio.Future[None]) -> None:
        """Run one worker process after another for ever, each until it is lost. Report when the first is ready."""
        pause_s = 0.0
        while True:
            process: WorkerProcess | None = None
            if self._idle_s is not None:
                await self._queue.filled()
            try:
                process = await WorkerProcess.spawn(self._niceness)
                self._processes.add(process)
                await process.ready(self.start_s)
                pause_s = 0.0
                if not ready.done():
                    ready.set_result(None)
                await self._give_searches(process)
                continue
            except (WorkerLostError, OSError) as error:
                self._log_lost(process, reason=str(error))
            except Exception as error:
                self._log_lost(process, reason=repr(error), exc_info=error)
            finally:
                if process is not None:
                    self._processes.discard(process)
                    process.kill()
                    await process.exited()
            self.restarts += 1
            await asyncio.sleep(pause_s)
            pause_s = min(_MAX_PAUSE_S, 2 * pause_s + 0.1)

    def _log_lost(self, process: WorkerProcess | None, **fields: object) -> None:
        log.warning("search worker lost", pid=process and process.pid, **fields)

    async def _give_searches(self, process: WorkerProcess) -> None:
        """Give the worker one search after another, until none has come for ``idle_s`` seconds.

        Raise :class:`WorkerLostError` when it must be replaced.
        """
        while True:
            search = await self._queue.take(process.ended, self._idle_s)
            if search is None:
                if process.ended.done():
                    raise WorkerLostError("it died while it was idle")
                return
            self.busy += 1
            self._running[search] = process
            try:
                search.finish(await self._reply(process, search))
            except WorkerLostError:
                search.workers_lost += 1
                if search.workers_lost == 1 and not search.answer.done():
                    self._queue.put_back(search)
                else:
                    search.finish(unavailable())
                raise
            except BaseException:  # above all, stop() cancels this task: the caller must not wait for ever
                search.finish(unavailable())
                raise
            finally:
                self.busy -= 1
                del self._running[search]
                while process.warnings:
                    log.warning("warning of the engine", warning=process.warnings.pop(0))

    async def _reply(self, process: WorkerProcess, search: Search) -> Reply:
        """Return the worker's reply. Raise :class:`WorkerLostError` if none comes."""
        loop, answer = asyncio.get_running_loop(), search.answer
        reply = process.send(replace(search.request, seconds=max(0.0, search.ends_s - loop.time())))
        limited = False
        while True:
            await asyncio.wait(
                (reply,) if limited else (reply, answer), timeout=WATCH_S, return_when=asyncio.FIRST_COMPLETED
            )
            if reply.done():
                break
            if answer.done() and not limited:
                limited = True
                search.ends_s = loop.time()
                process.limit(search.request, 0.0)
            elif process.stopped:
                raise WorkerLostError("a signal has stopped it")
            elif loop.time() > search.ends_s + self.late_s:
                raise WorkerLostError("it did not answer in time")
        if reply.cancelled():
            raise WorkerLostError("it died as it searched")
        return reply.result()
