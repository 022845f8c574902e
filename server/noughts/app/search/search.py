"""A search as the queue and the pool see it: a request, its caller, and its answer to come."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple

from noughts.app.runtime.addresses import enclosing_networks
from noughts.app.search.line_protocol import Reply, Request
from noughts.errors import Rejection


class Caller(NamedTuple):
    """The origin of a search, for turns. ``person``: whether a person waits for the answer, not only two engines."""

    network: str
    player: str
    person: bool = True


def caller_at(address: str, player: str, *, person: bool = True) -> Caller:
    """Return the caller at an address. An IPv6 network is a /56 here, because many subscribers have one for themselves."""
    return Caller(enclosing_networks(address)[:2][-1], player, person)


def busy() -> Rejection:
    """Return the rejection for a search that would wait too long for a worker."""
    return Rejection("unavailable", "The engine is busy: try again in a moment.", retry_ms=2_000)


def unavailable() -> Rejection:
    """Return the rejection for a search that no worker could complete."""
    return Rejection("unavailable", "The engine is not available now: try again in a moment.", retry_ms=1_000)


@dataclass(slots=True, eq=False)
class Search:
    """A request and its answer to come. A caller that cancels its wait for the answer cancels the search.

    Times are those of the event loop, in seconds. ``request.seconds`` is the most that the search may take. ``target_s``:
    when the answer should be there. ``expires_s``: when a search that still waits for a worker is rejected, None for never.
    ``ends_s``: when the worker is to end the search, set once a worker has it.
    """

    request: Request
    caller: Caller
    target_s: float
    expires_s: float | None
    answer: asyncio.Future[Reply | Rejection]
    ends_s: float = 0.0
    workers_lost: int = 0
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)

    def finish(self, reply: Reply | Rejection) -> None:
        """Give the answer to its caller, if the caller still waits."""
        if not self.answer.done():
            self.answer.set_result(reply)
