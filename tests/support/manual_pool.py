"""A search pool whose searches end when a test says so."""

from __future__ import annotations

import asyncio

from noughts.app.search.pool import SearchPool
from noughts.app.search.search import Caller
from noughts.engine.verdict import UNKNOWN, Choice, Verdict
from noughts.rules.variant import Variant


class PendingSearch:
    """One search that was asked for. ``level`` is None for a verdict."""

    def __init__(self, cells: tuple[int, ...], level: str | None, seconds: float, caller: Caller) -> None:
        self.cells = cells
        self.caller = caller
        self.level = level
        self.seconds = seconds
        self.future: asyncio.Future[Choice | Verdict] = asyncio.get_running_loop().create_future()

    @property
    def cancelled(self) -> bool:
        """Whether the search was called off."""
        return self.future.cancelled()

    def move(self, cell: int) -> None:
        """End the search with a move."""
        self.future.set_result(Choice(cell, UNKNOWN))

    def verdict(self, verdict: Verdict) -> None:
        """End the search with a verdict."""
        self.future.set_result(verdict)

    def fail(self, error: Exception) -> None:
        """End the search with an error."""
        self.future.set_exception(error)


class ManualPool(SearchPool):
    """A pool without processes. It keeps the searches that it was asked for."""

    def __init__(self) -> None:
        super().__init__(1)
        self.searches: list[PendingSearch] = []
        self.failure: Exception | None = None
        """The error with which each search fails at once, if there is one. A clock may not leave time for more."""

    async def move(
        self, variant: Variant, cells: tuple[int, ...], level: str, seconds: float, seed: int, caller: Caller
    ) -> Choice:
        answer = await self._pending(PendingSearch(cells, level, seconds, caller))
        assert isinstance(answer, Choice)
        return answer

    async def verdict(self, variant: Variant, cells: tuple[int, ...], seconds: float, caller: Caller) -> Verdict:
        answer = await self._pending(PendingSearch(cells, None, seconds, caller))
        assert isinstance(answer, Verdict)
        return answer

    async def _pending(self, search: PendingSearch) -> Choice | Verdict:
        self.searches.append(search)
        if self.failure is not None:
            raise self.failure
        return await search.future
