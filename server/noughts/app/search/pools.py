"""The two search pools of a node: one for moves, one for analyses."""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.app.search.pool import SearchPool
from noughts.app.search.programs import Programs

ANALYST_NICENESS: Final = 12
"""The niceness of the workers that analyse games. On a busy machine moves get most of the processor time."""
ANALYST_IDLE_S: Final = 60.0
"""Seconds without an analysis after which such a worker ends. The next analysis starts one again."""


class SearchPools(NamedTuple):
    """The pool that searches for moves, and the pool that analyses games."""

    moves: SearchPool
    analyses: SearchPool
    programs: Programs

    async def start(self) -> None:
        """Start the workers."""
        await self.analyses.start()
        await self.moves.start()

    async def stop(self) -> None:
        """Stop the workers."""
        await self.moves.stop()
        await self.analyses.stop()


def search_pools(workers: int, programs: Programs) -> SearchPools:
    """Return two pools with as many workers each."""
    analyses = SearchPool(workers, niceness=ANALYST_NICENESS, idle_s=ANALYST_IDLE_S)
    return SearchPools(SearchPool(workers), analyses, programs)
