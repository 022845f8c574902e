"""Turns of requests: of each network, a few requests begin in each interval. The rest wait, and are not rejected.

A client may send its requests without waiting for the answers, on many connections at once, and some requests cost no
credit. So requests would take all of the event loop's time.
"""

from __future__ import annotations

import asyncio
from collections import deque

from noughts.app.runtime.limits import BEGUN_AT_ONCE, INTERVAL_S


class RequestTurns:
    """The requests of each network that wait to begin, the oldest first."""

    def __init__(self) -> None:
        self._begun: dict[str, int] = {}
        """How many requests of each network began in this interval."""
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def begin(self, network: str) -> None:
        """Return when a request of a network may begin."""
        loop, begun = asyncio.get_running_loop(), self._begun.get(network, 0)
        if not self._begun:
            loop.call_later(INTERVAL_S, self._end_interval)
        if begun < BEGUN_AT_ONCE:
            self._begun[network] = begun + 1
            return
        turn = loop.create_future()
        self._waiting.setdefault(network, deque()).append(turn)
        await turn

    def _end_interval(self) -> None:
        self._begun.clear()
        for network, waiting in tuple(self._waiting.items()):
            begun = 0
            while waiting and begun < BEGUN_AT_ONCE:
                turn = waiting.popleft()
                if not turn.done():  # else its client has gone
                    turn.set_result(None)
                    begun += 1
            self._begun[network] = begun
            if not waiting:
                del self._waiting[network]
        if self._begun:
            asyncio.get_running_loop().call_later(INTERVAL_S, self._end_interval)
