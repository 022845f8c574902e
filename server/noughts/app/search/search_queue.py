"""The queue of searches that wait for a worker: bounded, urgent searches first, one worker kept free for them."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from noughts.app.search.line_protocol import Reply, Request
from noughts.errors import Rejection

MAX_QUEUE: Final = 256
"""Urgent searches that may wait."""
MAX_WAITING_ANALYSES: Final = 16
"""Patient searches that may wait."""


def busy() -> Rejection:
    """Return the rejection for a search that would wait too long for a worker."""
    return Rejection("unavailable", "The engine is busy: try again in a moment.", retry_ms=2_000)


def unavailable() -> Rejection:
    """Return the rejection for a search that no worker could complete."""
    return Rejection("unavailable", "The engine is not available now: try again in a moment.", retry_ms=1_000)


@dataclass(slots=True, eq=False)
class Search:
    """A request and its answer to come. A caller that cancels its wait for the answer cancels the search.

    A search that is not ``urgent`` is *patient*. ``wait_s``: seconds that it may wait for a worker, None for no limit.
    """

    request: Request
    urgent: bool
    wait_s: float | None
    answer: asyncio.Future[Reply | Rejection]
    workers_lost: int = 0
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    def finish(self, reply: Reply | Rejection) -> None:
        """Give the answer to its caller, if the caller still waits."""
        if not self.answer.done():
            self.answer.set_result(reply)


class SearchQueue:
    """Searches that wait for a worker, and workers that wait for a search."""

    def __init__(self, kept_free: int) -> None:
        """Keep ``kept_free`` idle workers free of patient searches: a long analysis must not delay an engine's move."""
        self._kept_free = kept_free
        self._urgent: deque[Search] = deque()
        self._patient: deque[Search] = deque()
        self._idle: list[asyncio.Future[Search]] = []
        self._closed = False

    def __len__(self) -> int:
        return len(self._urgent) + len(self._patient)

    def put(self, search: Search) -> None:
        """Add a search at the end. Raise ``unavailable`` if the queue is full or closed."""
        if self._closed:
            raise unavailable()
        queue = self._queue_of(search)
        if len(queue) >= (MAX_QUEUE if search.urgent else MAX_WAITING_ANALYSES):
            raise busy()
        queue.append(search)
        self._start_timer(search)
        self._hand_out()

    def put_back(self, search: Search) -> None:
        """Add a search that has lost its worker, before all others of its kind. It may wait as long as a new one."""
        if self._closed:
            search.finish(unavailable())
            return
        self._queue_of(search).appendleft(search)
        self._start_timer(search)
        self._hand_out()

    def remove(self, search: Search) -> None:
        """Take a search out of the queue, if it still waits there."""
        queue = self._queue_of(search)
        if search in queue:
            queue.remove(search)
            self._stop_timer(search)

    async def take(self, ended: asyncio.Future[None]) -> Search | None:
        """Wait for the next search for an idle worker. Return None once the worker has ended."""
        turn: asyncio.Future[Search] = asyncio.get_running_loop().create_future()
        self._idle.append(turn)
        self._hand_out()
        try:
            await asyncio.wait((turn, ended), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave(turn)
            raise
        if not ended.done():
            return turn.result()
        self._leave(turn)
        return None

    def close(self) -> None:
        """Reject every search that waits, and every later one."""
        self._closed = True
        for search in (*self._urgent, *self._patient):
            self.remove(search)
            search.finish(unavailable())

    def _queue_of(self, search: Search) -> deque[Search]:
        return self._urgent if search.urgent else self._patient

    def _hand_out(self) -> None:
        for queue, kept_free in ((self._urgent, 0), (self._patient, self._kept_free)):
            while queue and len(self._idle) > kept_free:
                search = queue.popleft()
                self._stop_timer(search)
                self._idle.pop().set_result(search)  # the worker that was busy last: its tables are warm

    def _leave(self, turn: asyncio.Future[Search]) -> None:
        """End an idle worker's wait. A search that it was just given goes to another."""
        if turn.done():
            self.put_back(turn.result())
        else:
            self._idle.remove(turn)

    def _start_timer(self, search: Search) -> None:
        if search.wait_s is not None:
            search.timer = asyncio.get_running_loop().call_later(search.wait_s, self._give_up, search)

    def _stop_timer(self, search: Search) -> None:
        if search.timer is not None:
            search.timer.cancel()
            search.timer = None

    def _give_up(self, search: Search) -> None:
        self.remove(search)
        search.finish(busy())
