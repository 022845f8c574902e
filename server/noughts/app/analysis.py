"""Analyses asked for over HTTP: searched in the pool, bounded in number and time; what was proved is kept for the next."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final, TypeAlias

from noughts.app import worker
from noughts.app.thinking import Pool
from noughts.engine.engine import AnalysedPly
from noughts.protocol.calls import PositionView
from noughts.protocol.messages import VerdictView
from noughts.rules.notation import cell_names
from noughts.rules.variant import Variant

ANALYSIS_S: Final = 8.0
"""What a search may take; with the wait for a process the answer comes within ten seconds, or is ``unavailable``. Where a
process dies at it, the search begins once more, with the same time again."""
_WAIT_S: Final = 9.5
_KEPT: Final = 512
UNKNOWN_KEPT_S: Final = 30.0
"""How long an answer is kept in which something is unknown: on a quieter machine another search may prove it."""

_Key: TypeAlias = tuple[str, tuple[int, ...]]


class Analyses:
    """Analyses under way and those lately done."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._tasks: OrderedDict[_Key, asyncio.Task[list[AnalysedPly]]] = OrderedDict()

    def known(self, variant: Variant, cells: tuple[int, ...]) -> bool:
        """Whether asking for this costs no search."""
        return (variant.key, cells) in self._tasks

    async def of(self, variant: Variant, cells: tuple[int, ...]) -> tuple[PositionView, ...]:
        """The verdict of every position of a legal game, from ply 0. Raises ``unavailable``."""
        key = (variant.key, cells)
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._search(variant, cells))
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._keep(key, done))
        else:
            self._tasks.move_to_end(key)
        # Shielded: who goes away takes the search from nobody else who waits for it.
        told = await asyncio.shield(task)
        names = cell_names(variant.shape)
        return tuple(
            [
                PositionView(
                    ply.ply,
                    ply.turn,
                    None if ply.verdict is None else VerdictView(*ply.verdict),
                    tuple([names[cell] for cell in ply.best]),
                )
                for ply in told
            ]
        )

    async def _search(self, variant: Variant, cells: tuple[int, ...]) -> list[AnalysedPly]:
        return await self._pool.run(
            ANALYSIS_S, worker.analysis, variant, cells, ANALYSIS_S, urgent=False, wait_s=_WAIT_S - ANALYSIS_S
        )

    def _keep(self, key: _Key, done: asyncio.Task[list[AnalysedPly]]) -> None:
        if done.cancelled() or done.exception() is not None:
            self._forget(key, done)
        elif any(ply.verdict is not None and ply.verdict.value == "unknown" for ply in done.result()):
            asyncio.get_running_loop().call_later(UNKNOWN_KEPT_S, self._forget, key, done)
        while len(self._tasks) > _KEPT:
            self._tasks.popitem(last=False)

    def _forget(self, key: _Key, done: asyncio.Task[list[AnalysedPly]]) -> None:
        if self._tasks.get(key) is done:
            del self._tasks[key]
