"""Background tasks, which are kept here because the event loop holds only weak references to tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final, TypeAlias, TypeVar

import structlog

from noughts.errors import Rejection

log = structlog.get_logger()

T = TypeVar("T")

Work: TypeAlias = Callable[[], Coroutine[object, None, None]]
"""What runs as long as the server does."""

RESTART_S: Final = 1.0
"""Seconds before work that must not end begins again after a fault."""


class Tasks:
    """A set of running tasks."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def run(self, coroutine: Coroutine[object, None, T]) -> asyncio.Task[T]:
        """Run a coroutine as a task of its own."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def keep_running(self, work: Work) -> None:
        """Run what must not end while the server runs. After a fault, which is logged, it begins again."""
        self.run(_restarted(work))

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None and not isinstance(fault, Rejection):
            log.error("a background task failed", exc_info=fault)

    async def stop(self, seconds: float = 1.0) -> None:
        """Wait this long for the tasks to end, then cancel the rest and wait until they have ended."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


async def _restarted(work: Work) -> None:
    while True:
        try:
            await work()
        except Exception:
            log.exception("a background task failed, and begins again")
        await asyncio.sleep(RESTART_S)
