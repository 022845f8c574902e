"""Every limit on rates and numbers, in one table.

The limits of an address allow for a school class of forty behind one address.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeVar

from noughts.app.runtime.addresses import enclosing_networks
from noughts.errors import Code, Rejection
from noughts.store.coordination import Bucket, Buckets, Coordination, Rate


class Limit(NamedTuple):
    """A rate for each holder. ``{wait}`` in the message stands for the seconds to wait."""

    name: str
    rate: Rate
    message: str
    code: Code = "rate_limited"

    def rejection(self, retry_ms: int) -> Rejection:
        """Return the rejection of a holder without credit."""
        return Rejection(
            self.code, self.message.replace("{wait}", f"{math.ceil(retry_ms / 1000)} s"), retry_ms=retry_ms
        )


class SharedLimit(Limit):
    """A limit that all nodes count together."""

    __slots__ = ()


AnyLimit = TypeVar("AnyLimit", bound=Limit)

MESSAGES: Final = Limit("messages of a socket", Rate(40, 10), "Too many messages: slow down.")
MESSAGES_OF_PLAYER: Final = Limit("messages of a player", Rate(120, 30), "You send too many messages: slow down.")
MESSAGES_OF_ADDRESS: Final = Limit(
    "messages of an address", Rate(1_200, 240), "Too many messages from your network: slow down."
)
EXCESS: Final = Limit("messages of a socket beyond its credit", Rate(400, 10), "Far too many messages.")
EXCESS_OF_ADDRESS: Final = Limit(
    "messages of an address beyond its credit", Rate(2_000, 100), "Far too many messages from your network."
)
PINGS: Final = Limit("pings of a socket", Rate(10, 2), "Too many pings: send at most two a second.")
CHAT: Final = SharedLimit("chat of a player", Rate(6, 0.5), "You are chatting too fast: wait a moment.")
CHAT_ADDRESS: Final = SharedLimit(
    "chat of an address", Rate(300, 0.2), "Many chat lines came from your network: wait {wait}."
)
REACTIONS: Final = SharedLimit("reactions of a player", Rate(8, 1), "Too many reactions: wait a moment.")
ROOMS: Final = SharedLimit(
    "rooms of a player",
    Rate(64, 1 / 60),
    "You have made many rooms: use one of them, or wait {wait}.",
    "too_many_rooms",
)
ROOMS_ADDRESS: Final = SharedLimit(
    "rooms of an address", Rate(400, 0.5), "Many rooms were made from your network: wait {wait}.", "too_many_rooms"
)
GUESTS: Final = SharedLimit(
    "new guests of an address", Rate(100, 0.5), "Many guests came from your network: wait a moment."
)
RENAMES: Final = SharedLimit("renames of a player", Rate(20, 1 / 30), "You have changed your name often: wait {wait}.")
"""A rename writes to every room of its player."""
RENAMES_ADDRESS: Final = SharedLimit(
    "renames of an address", Rate(200, 0.5), "Many players of your network changed their names: wait {wait}."
)
REQUESTS: Final = Limit("requests of an address", Rate(400, 40), "Too many requests from your network: slow down.")
FILES: Final = Limit(
    "files of the page for an address", Rate(2_000, 100), "Too many files went to your network: wait a moment."
)
RESUME: Final = SharedLimit("tries of resume codes of an address", Rate(5, 5 / 60), "Too many tries: wait a minute.")
PREVIEWS: Final = Limit("new previews of an address", Rate(20, 0.5), "Too many new pictures: wait a moment.")
SEARCHES: Final = Limit("analyses of a player or address", Rate(20, 0.5), "Too many analyses: wait a moment.")

WIDER: Final = (1, 4, 16)
"""How many times the limit of a /64 a /56 and a /48 may use. Many subscribers may share the wider networks."""

MAX_CONNECTIONS_OF_ADDRESS: Final = 512
"""TCP connections: the WebSockets of an address, and its HTTP requests."""
MAX_SOCKETS_OF_ADDRESS: Final = 400
MAX_SOCKETS_OF_PLAYER: Final = 64
MAX_ROOMS_OF_PLAYER: Final = 80
MAX_ROOMS_OF_ADDRESS: Final = 400
"""Rooms that exist at a time, as far as the node that made them remembers."""
MAX_ROOMS: Final = 20_000
MAX_MALFORMED_MESSAGES: Final = 20
"""Messages that are not a JSON object, or have no valid id, after which the connection is closed."""


class Limits:
    """The credits of players and addresses. ``off`` lifts every limit except that on tries of resume codes."""

    def __init__(self, coordination: Coordination, *, off: bool) -> None:
        self.off = off
        self._coordination = coordination
        self._buckets = Buckets()

    def take(self, limit: Limit, holder: str, now_s: float) -> None:
        """Use one of a holder's credits under a limit of this node. Raise :class:`Rejection`."""
        if not self.off:
            _check(limit, self._buckets.take(limit.name, holder, limit.rate, now_s))

    def take_for_networks(self, limit: Limit, address: str, now_s: float) -> None:
        """Use one credit of each network of an address, under a limit of this node. Raise :class:`Rejection`."""
        for holder, widened in _of_networks(limit, address):
            self.take(widened, holder, now_s)

    def bucket(self, limit: Limit, holder: str, now_s: float) -> Bucket:
        """Return the credits that all connections of a holder to this node share."""
        return self._buckets.bucket(limit.name, holder, limit.rate, now_s)

    def buckets_of_networks(self, limit: Limit, address: str, now_s: float) -> list[Bucket]:
        """Return the credits that all connections of each network of an address share on this node."""
        return [self.bucket(widened, holder, now_s) for holder, widened in _of_networks(limit, address)]

    async def take_shared(self, limit: SharedLimit, holder: str) -> None:
        """Use one of a holder's credits under a limit of all nodes. Raise :class:`Rejection`."""
        if not self.off or limit is RESUME:
            _check(limit, await self._coordination.take_credit(limit.name, holder, limit.rate))

    async def take_for_address(self, limit: SharedLimit, address: str) -> None:
        """Use one credit of each network of an address, under a limit of all nodes. Raise :class:`Rejection`."""
        for holder, widened in _of_networks(limit, address):
            await self.take_shared(widened, holder)


def _of_networks(limit: AnyLimit, address: str) -> Iterator[tuple[str, AnyLimit]]:
    """Yield each network of an address with its limit: the wider networks have several times the limit."""
    for holder, wider in zip(enclosing_networks(address), WIDER, strict=False):
        rate = Rate(limit.rate.burst * wider, limit.rate.per_s * wider)
        yield holder, limit if wider == 1 else limit._replace(rate=rate)


def _check(limit: Limit, retry_ms: int) -> None:
    if retry_ms:
        raise limit.rejection(retry_ms)
