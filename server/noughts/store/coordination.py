"""State that all nodes share at every moment: credits under shared limits, and locks."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final, NamedTuple, Protocol

MAX_BUCKETS: Final = 20_000


class Rate(NamedTuple):
    """A rate: at most ``burst`` credits, refilled at ``per_s`` credits a second."""

    burst: float
    per_s: float


class Bucket:
    """The credits of one holder. They start full, each use takes one, and they are refilled with time."""

    __slots__ = ("_burst", "_credits", "_per_s", "_since_s")

    def __init__(self, rate: Rate, now_s: float) -> None:
        self._burst, self._per_s = rate
        self._credits, self._since_s = self._burst, now_s

    def take(self, now_s: float) -> int:
        """Use one credit. Return 0, or the milliseconds until there is one."""
        credits = self._credits + (now_s - self._since_s) * self._per_s
        if credits > self._burst:
            credits = self._burst
        self._since_s = now_s
        if credits < 1.0:
            self._credits = credits
            return max(1, math.ceil((1.0 - credits) / self._per_s * 1000))
        self._credits = credits - 1.0
        return 0

    def give(self) -> None:
        """Return one credit."""
        self._credits = min(self._burst, self._credits + 1.0)


class Buckets:
    """The buckets of many holders under many limits.

    The least recently used are evicted. An evicted holder starts with full credit again.
    """

    def __init__(self, max_buckets: int = MAX_BUCKETS) -> None:
        self._max_buckets = max_buckets
        self._buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def take(self, limit: str, holder: str, rate: Rate, now_s: float) -> int:
        """Use one of a holder's credits. Return 0, or the milliseconds until there is one."""
        return self.bucket(limit, holder, rate, now_s).take(now_s)

    def bucket(self, limit: str, holder: str, rate: Rate, now_s: float) -> Bucket:
        """Return the bucket of a holder."""
        key = (limit, holder)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(rate, now_s)
            if len(self._buckets) > self._max_buckets:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return bucket


class Coordination(Protocol):
    """Credits and locks that all nodes share. Coroutines may raise ``StoreUnavailableError``."""

    async def take_credit(self, limit: str, holder: str, rate: Rate) -> int:
        """Use one of a holder's credits under a limit. Return 0, or the milliseconds until there is one."""
        ...

    async def give_credit(self, limit: str, holder: str, rate: Rate) -> None:
        """Return a credit that a holder has used."""
        ...

    async def note(self, name: str, number: int) -> None:
        """Note a number for all nodes, in place of the last one with this name."""
        ...

    async def noted(self, name: str) -> int:
        """Return the number that was noted last, 0 without one."""
        ...

    def lock(self, name: str) -> AbstractAsyncContextManager[object]:
        """Return a lock that at most one task of all nodes holds. The tasks of one node get it in their order.

        A shared lock has a lease of a few seconds, because the node that holds it may die.
        """
        ...


class LocalCoordination:
    """:class:`Coordination` in memory. Nodes of one process share one object. ``now_s`` returns monotonic seconds."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._buckets = Buckets()
        self._locks: dict[str, asyncio.Lock] = {}
        self._noted: dict[str, int] = {}

    async def note(self, name: str, number: int) -> None:
        self._noted[name] = number

    async def noted(self, name: str) -> int:
        return self._noted.get(name, 0)

    async def take_credit(self, limit: str, holder: str, rate: Rate) -> int:
        return self._buckets.take(limit, holder, rate, self._now_s())

    async def give_credit(self, limit: str, holder: str, rate: Rate) -> None:
        self._buckets.bucket(limit, holder, rate, self._now_s()).give()

    def lock(self, name: str) -> AbstractAsyncContextManager[object]:
        return self._locks.setdefault(name, asyncio.Lock())
