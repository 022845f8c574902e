"""The search pool: worker processes with one search at a time. A worker that dies or hangs is replaced alone."""

from __future__ import annotations

import asyncio
import itertools
import os
from typing import Final, TypeVar

import structlog

from noughts.app.search.line_protocol import (
    AnalysisRequest,
    Fault,
    MoveRequest,
    Rejected,
    Reply,
    Request,
    VerdictRequest,
    value,
)
from noughts.app.search.search_queue import Search, SearchQueue, unavailable
from noughts.app.search.worker_process import WorkerLostError, WorkerProcess
from noughts.engine.engine import AnalysedPly
from noughts.engine.verdict import Choice, Verdict
from noughts.errors import Rejection
from noughts.rules.variant import Variant

T = TypeVar("T")

LATE_S: Final = 10.0
"""Seconds after the deadline of a search. A worker that has not answered by then hangs."""
CANCEL_S: Final = 3.0
"""Seconds after a cancellation. A worker that has not ended its search by then hangs. A search ends within 10 to 200 ms.
On a machine that is busy with other work it takes longer, but a new worker would take longer still."""
START_S: Final = 30.0
"""Seconds after the start of a process. A worker that is not ready by then is killed."""
_MAX_PAUSE_S: Final = 5.0
"""The longest pause between two tries to start a worker, in seconds."""

log = structlog.get_logger()


class SearchFaultError(Exception):
    """A search raised an exception that is not a rejection. The message is the worker's traceback."""


class SearchPool:
    """Search workers. An engine's moves and verdicts go before analyses.

    When a worker dies, its search is given to another worker once; after a second death the search is ``unavailable``. A
    worker that hangs is killed, which counts as a death. A caller cancels a search by cancelling its wait for the value:
    a queued search leaves the queue, and a running search ends at once.
    """

    def __init__(self, workers: int) -> None:
        """Set the number of workers. 0 means one for each processor, at most four."""
        self.workers = workers or max(1, min(4, os.cpu_count() or 1))
        self.busy = 0
        """Workers that search."""
        self.restarts = 0
        """Workers replaced so far."""
        self._queue = SearchQueue(kept_free=1 if self.workers > 1 else 0)
        self._ids = itertools.count(1)
        self._processes: set[WorkerProcess] = set()
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
        """Start every worker, and wait until each is ready. Searches that come earlier wait in the queue."""
        loop = asyncio.get_running_loop()
        for _ in range(self.workers):
            ready: asyncio.Future[None] = loop.create_future()
            self._ready.append(ready)
            self._tasks.append(loop.create_task(self._keep_worker(ready)))
        await asyncio.wait(self._ready)

    async def stop(self) -> None:
        """End every worker at once, in the middle of a search too. From now on every search is ``unavailable``."""
        self._queue.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for ready in self._ready:
            ready.cancel()

    async def move(self, variant: Variant, cells: tuple[int, ...], level: str, seconds: float, seed: int) -> Choice:
        """Return the engine's move after ``cells``, searched for ``seconds`` at most. Raise ``unavailable``."""
        request = MoveRequest(next(self._ids), variant, cells, seconds, level, seed)
        return await self._search(request, Choice, urgent=True)

    async def verdict(self, variant: Variant, cells: tuple[int, ...], seconds: float) -> Verdict:
        """Return the verdict for the side to move after ``cells``, as :meth:`move` does."""
        return await self._search(VerdictRequest(next(self._ids), variant, cells, seconds), Verdict, urgent=True)

    async def analysis(
        self, variant: Variant, cells: tuple[int, ...], seconds: float, wait_s: float
    ) -> list[AnalysedPly]:
        """Return the verdict of every position of a game, searched for ``seconds`` in all.

        Raise ``unavailable`` too if no worker is free within ``wait_s``.
        """
        request = AnalysisRequest(next(self._ids), variant, cells, seconds)
        return await self._search(request, list[AnalysedPly], urgent=False, wait_s=wait_s)

    async def _search(self, request: Request, form: type[T], *, urgent: bool, wait_s: float | None = None) -> T:
        search = Search(request, urgent, wait_s, asyncio.get_running_loop().create_future())
        self._queue.put(search)
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

    # --- one worker -------------------------------------------------------------------------------------------------

    async def _keep_worker(self, ready: asyncio.Future[None]) -> None:
        """Run one worker process after another for ever, each until it is lost. Report when the first is ready."""
        pause_s = 0.0
        while True:
            process: WorkerProcess | None = None
            try:
                process = await WorkerProcess.spawn()
                self._processes.add(process)
                await process.ready(START_S)
                pause_s = 0.0
                if not ready.done():
                    ready.set_result(None)
                await self._give_searches(process)
            except (WorkerLostError, OSError) as error:
                log.warning("search worker lost", pid=process and process.pid, reason=str(error))
            except Exception:
                log.exception("search worker lost", pid=process and process.pid)
            finally:
                if process is not None:
                    self._processes.discard(process)
                    process.kill()
                    await process.exited()
            self.restarts += 1
            await asyncio.sleep(pause_s)
            pause_s = min(_MAX_PAUSE_S, 2 * pause_s + 0.1)

    async def _give_searches(self, process: WorkerProcess) -> None:
        """Give the worker one search after another. Raise :class:`WorkerLostError` when it must be replaced."""
        while True:
            search = await self._queue.take(process.ended)
            if search is None:
                raise WorkerLostError("it died while it was idle")
            self.busy += 1
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

    async def _reply(self, process: WorkerProcess, search: Search) -> Reply:
        """Return the worker's reply. Raise :class:`WorkerLostError` if none comes."""
        reply = process.send(search.request)
        await asyncio.wait(
            (reply, search.answer), timeout=search.request.seconds + LATE_S, return_when=asyncio.FIRST_COMPLETED
        )
        if search.answer.cancelled() and not reply.done():
            process.cancel(search.request)
            await asyncio.wait((reply,), timeout=CANCEL_S)
            if not reply.done():
                raise WorkerLostError("it did not end a cancelled search")
        if not reply.done():
            raise WorkerLostError("it did not answer")
        if reply.cancelled():
            raise WorkerLostError("it died as it searched")
        return reply.result()
