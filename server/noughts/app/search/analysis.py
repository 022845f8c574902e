"""Analyses of games for HTTP. All callers of one analysis share its search, and the latest analyses are kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, TypeAlias

from noughts.app.search.pool import SearchPool
from noughts.app.search.search import Caller
from noughts.engine.minimax import Explained
from noughts.engine.verdict import AnalysedPly
from noughts.protocol.bodies import PositionView
from noughts.protocol.messages import VerdictView
from noughts.rules.game import Game
from noughts.rules.notation import cell_names
from noughts.rules.variant import Variant

ANALYSIS_S: Final = 8.0
"""Seconds after which a search ends, the wait for its worker included. The contract allows ten for the answer."""
_WAIT_S: Final = 9.5
"""Seconds that a search may wait for a worker. On a busy machine the searches before it may end late."""
_KEPT: Final = 512
"""Analyses kept, those under way included. The one that was asked for longest ago is dropped first."""
UNKNOWN_KEPT_S: Final = 30.0
"""Seconds that an analysis with an unknown verdict is kept. Another search may prove more on a quieter machine."""

_Key: TypeAlias = tuple[str, tuple[int, ...]]
Question: TypeAlias = tuple[tuple[int, ...], int, int, int, int]
"""What minimax is asked: the moves, alpha, beta, the ply from which scores count, and the depth of the answer."""


@dataclass(slots=True, eq=False)
class _Entry:
    """One analysis, under way or done, and how many callers wait for it."""

    search: asyncio.Task[list[AnalysedPly]]
    callers: int = 0


class Analyses:
    """Analyses under way and the latest ones done."""

    def __init__(self, pool: SearchPool, unknown_kept_s: float = UNKNOWN_KEPT_S) -> None:
        self._pool = pool
        self._unknown_kept_s = unknown_kept_s
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._explained: OrderedDict[Question, Explained] = OrderedDict()

    def is_kept(self, variant: Variant, cells: tuple[int, ...]) -> bool:
        """Return whether this analysis needs no new search, because it is done or under way."""
        return (variant.key, cells) in self._entries

    async def positions(self, variant: Variant, cells: tuple[int, ...], caller: Caller) -> tuple[PositionView, ...]:
        """Return the verdict of every position of a legal game, from ply 0. Raise ``unavailable``.

        ``caller`` waits in turn for a worker, if this analysis is neither kept nor under way.

        The search is cancelled when its last caller is.
        """
        key = (variant.key, cells)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = self._start(key, variant, cells, caller)
        else:
            self._entries.move_to_end(key)
        entry.callers += 1
        try:
            plies = await asyncio.shield(entry.search)
        finally:
            entry.callers -= 1
            if not entry.callers and not entry.search.done():
                self._drop(key, entry)
                entry.search.cancel()
        names = cell_names(variant.shape)
        return tuple(
            [
                PositionView(
                    ply.ply,
                    ply.turn,
                    None if ply.verdict is None else VerdictView(*ply.verdict),
                    tuple([names[cell] for cell in ply.best]),
                    ply.complete,
                )
                for ply in plies
            ]
        )

    def is_explained(self, question: Question) -> bool:
        """Return whether the answer is kept: a class that opens the same chapter asks for it once."""
        return question in self._explained

    async def explained(self, game: Game, question: Question, caller: Caller) -> Explained:
        """Return what minimax and alpha-beta do at a position of 3x3, after the moves of ``game``. Raise ``unavailable``."""
        answer = self._explained.get(question)
        if answer is None:
            _, alpha, beta, counted_from, depth = question
            answer = await self._pool.explained(game, alpha, beta, counted_from, depth, _WAIT_S, caller)
            self._explained[question] = answer
            while len(self._explained) > _KEPT:
                self._explained.popitem(last=False)
        return answer

    def _start(self, key: _Key, variant: Variant, cells: tuple[int, ...], caller: Caller) -> _Entry:
        search = self._pool.analysis(variant, cells, ANALYSIS_S, _WAIT_S, caller)
        entry = _Entry(asyncio.get_running_loop().create_task(search))
        entry.search.add_done_callback(lambda _: self._keep(key, entry))
        return entry

    def _keep(self, key: _Key, entry: _Entry) -> None:
        """Keep or drop an analysis whose search has just ended."""
        search = entry.search
        if search.cancelled() or search.exception() is not None:
            self._drop(key, entry)
        elif any(ply.verdict is not None and ply.verdict.value == "unknown" for ply in search.result()):
            asyncio.get_running_loop().call_later(self._unknown_kept_s, self._drop, key, entry)
        while len(self._entries) > _KEPT:
            self._entries.popitem(last=False)

    def _drop(self, key: _Key, entry: _Entry) -> None:
        if self._entries.get(key) is entry:
            del self._entries[key]
