"""The search pool: processes that search, a bounded queue before them, and what happens when one dies.

A search is handed to the pool only when a process is free, so that one that nobody needs any more simply leaves the queue.
One that runs ends at the deadline that it carries; cancelling whoever waits drops its answer.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Final, TypeVar, TypeVarTuple

import structlog

from noughts.app import worker
from noughts.errors import Rejection

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_QUEUE: Final = 256
MAX_WAITING_ANALYSES: Final = 16
_LOOK_S: Final = 0.25
_LATE_S: Final = 10.0
"""A process that has not answered so long after its deadline is taken for hung."""

log = structlog.get_logger()


class Pool:
    """Search processes. ``urgent`` searches (an engine's move in a room) go before the others."""

    def __init__(self, workers: int) -> None:
        self.workers = workers or max(1, min(4, os.cpu_count() or 1))
        self._pool: ProcessPoolExecutor | None = None
        self._free = self.workers
        self._kept_free = 1 if self.workers > 1 else 0
        """So many processes take no patient search: a long analysis must not keep a room's engine waiting."""
        self._urgent: deque[asyncio.Future[None]] = deque()
        self._patient: deque[asyncio.Future[None]] = deque()
        self._generation = 0
        self.restarts = 0

    @property
    def waiting(self) -> int:
        """Searches in the queue."""
        return len(self._urgent) + len(self._patient)

    @property
    def busy(self) -> int:
        """Searches that run."""
        return self.workers - self._free

    async def start(self) -> None:
        """Start every process, and wait until each answers."""
        self._open()
        pool = self._pool
        if pool is None:
            return
        try:
            with _hidden_main():
                answers = [pool.submit(worker.ready) for _ in range(self.workers)]
            await asyncio.gather(*(asyncio.wrap_future(answer) for answer in answers))
        except BrokenProcessPool:
            self._mend(self._generation, "a process died as it started")

    def stop(self) -> None:
        """End every process at once, whatever it searches."""
        pool, self._pool = self._pool, None
        if pool is not None:
            _end(pool)

    async def run(
        self,
        seconds: float,
        search: Callable[[*Ts], T],
        *args: *Ts,
        urgent: bool = True,
        wait_s: float | None = None,
    ) -> T:
        """The answer of ``search``, which ends by itself within ``seconds``. A process that is killed costs one retry.

        Raises ``unavailable`` when the queue is full, when no process was free for ``wait_s``, or when a search failed
        twice. Cancelling the wait takes a search out of
        the queue; one that runs keeps its process until its deadline.
        """
        loop = asyncio.get_running_loop()
        for _ in range(2):
            try:
                async with asyncio.timeout(wait_s):
                    await self._take_place(urgent)
            except TimeoutError:
                raise Rejection("unavailable", "The engine is busy: try again in a moment.", retry_ms=2_000) from None
            pool, generation = self._pool, self._generation
            if pool is None:
                self._leave_place()
                break
            try:
                with _hidden_main():
                    answer = pool.submit(search, *args)
            except (RuntimeError, OSError):  # broken, or a process was killed as it was being started
                self._leave_place()
                self._mend(generation, "a process died")
                continue
            place = _Place(self._leave_place)
            answer.add_done_callback(lambda _, place=place: _from_thread(loop, place.leave))  # type: ignore[misc]
            outcome = asyncio.wrap_future(answer)
            outcome.add_done_callback(lambda done: done.cancelled() or done.exception())  # whether asked for or not
            why = await self._wait(outcome, pool, generation, seconds + _LATE_S)
            if why is None and not outcome.cancelled() and not isinstance(outcome.exception(), BrokenProcessPool):
                return outcome.result()
            place.leave()
            self._mend(generation, why or "a process died")
        raise Rejection("unavailable", "The engine is not available now: try again in a moment.", retry_ms=1_000)

    async def _wait(
        self, outcome: asyncio.Future[T], pool: ProcessPoolExecutor, generation: int, seconds: float
    ) -> str | None:
        """Wait for an outcome; why none will come, if so. An executor that breaks while it is handed a search may forget it,
        so its word alone is not waited for."""
        loop = asyncio.get_running_loop()
        late = loop.time() + seconds
        while not outcome.done():
            await asyncio.wait((outcome,), timeout=_LOOK_S)
            if outcome.done():
                break
            if generation != self._generation or _is_broken(pool):
                return "a process died"
            if loop.time() >= late:
                return "a process hung"
        return None

    async def _take_place(self, urgent: bool) -> None:
        if self._free > (0 if urgent else self._kept_free):
            self._free -= 1
            return
        queue = self._urgent if urgent else self._patient
        if len(queue) >= (MAX_QUEUE if urgent else MAX_WAITING_ANALYSES):
            raise Rejection("unavailable", "The engine is busy: try again in a moment.", retry_ms=2_000)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave_place()  # the place was handed over as the wait was called off
            else:
                with suppress(ValueError):
                    queue.remove(turn)
            raise

    def _leave_place(self) -> None:
        self._free += 1
        for queue, kept_free in ((self._urgent, 0), (self._patient, self._kept_free)):
            while queue and self._free > kept_free:
                turn = queue.popleft()
                if not turn.done():
                    self._free -= 1
                    turn.set_result(None)
                    return

    def _open(self) -> None:
        self._pool = ProcessPoolExecutor(
            self.workers, mp_context=multiprocessing.get_context("spawn"), initializer=worker.start
        )

    def _mend(self, generation: int, why: str) -> None:
        """Replace a broken pool, once, whoever finds it first."""
        if generation != self._generation or self._pool is None:
            return
        self._generation += 1
        self.restarts += 1
        log.warning("search pool replaced", why=why)
        _end(self._pool)
        self._open()


class _Place:
    """A search's place in the pool, left once, whoever finds first that it is over."""

    __slots__ = ("_leave",)

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave: Callable[[], None] | None = leave

    def leave(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


def _is_broken(pool: ProcessPoolExecutor) -> bool:
    processes = tuple((getattr(pool, "_processes", None) or {}).values())
    return bool(getattr(pool, "_broken", False)) or not all(process.is_alive() for process in processes)


def _from_thread(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(call)


def _end(pool: ProcessPoolExecutor) -> None:
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()


@contextmanager
def _hidden_main() -> Iterator[None]:
    """A spawned process imports its parent's main module again: here the whole server, for nothing. So it sees none."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
