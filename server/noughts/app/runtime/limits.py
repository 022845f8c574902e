"""Every limit of rate and number, in one table, and the buckets that keep the rates.

A bucket holds credits. It starts full, each use takes some, and it fills up again with time. The limits of an address are
wide enough for a class of forty behind one address.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Final, NamedTuple

from noughts.errors import Code, Rejection


class Limit(NamedTuple):
    """``burst`` credits at once, refilled at ``per_s`` a second. ``{wait}`` in the message becomes the time to wait.

    ``shared`` limits protect what is stored or guessed: several nodes must count them together. The others protect a
    node's own work.
    """

    name: str
    burst: float
    per_s: float
    shared: bool
    message: str
    code: Code = "rate_limited"


MESSAGES: Final = Limit("messages of a socket", 40, 10, False, "Too many messages: slow down.")
PINGS: Final = Limit("pings of a socket", 10, 2, False, "Too many pings: send at most two a second.")
CHAT: Final = Limit("chat of a player", 6, 0.5, True, "You are chatting too fast: wait a moment.")
REACTIONS: Final = Limit("reactions of a player", 8, 1, True, "Too many reactions: wait a moment.")
ROOMS: Final = Limit(
    "rooms of a player",
    30,
    1 / 60,
    True,
    "You have made many rooms: use one of them, or wait {wait}.",
    "too_many_rooms",
)
ROOMS_ADDRESS: Final = Limit(
    "rooms of an address", 400, 0.5, True, "Many rooms were made from your network: wait {wait}.", "too_many_rooms"
)
GUESTS: Final = Limit("new guests of an address", 100, 0.5, True, "Many guests came from your network: wait a moment.")
REQUESTS: Final = Limit("requests of an address", 400, 40, False, "Too many requests from your network: slow down.")
RESUME: Final = Limit("tries of resume codes of an address", 5, 5 / 60, True, "Too many tries: wait a minute.")
SEARCHES: Final = Limit("analyses of a player or address", 20, 0.5, False, "Too many analyses: wait a moment.")

MAX_SOCKETS_OF_ADDRESS: Final = 400
MAX_SOCKETS_OF_PLAYER: Final = 12
MAX_ROOMS_OF_PLAYER: Final = 40
MAX_ROOMS: Final = 20_000
MAX_MALFORMED_MESSAGES: Final = 20
"""Messages that are not a JSON object, or have no valid id, after which the connection is closed."""

MAX_BUCKETS: Final = 20_000


class Bucket:
    """The credits of one holder under one limit."""

    __slots__ = ("_credits", "_limit", "_since_s")

    def __init__(self, limit: Limit, now_s: float) -> None:
        self._limit = limit
        self._credits = limit.burst
        self._since_s = now_s

    def take(self, now_s: float) -> None:
        """Use one credit. Raise :class:`Rejection` with the time until there is one."""
        limit = self._limit
        credits = min(limit.burst, self._credits + (now_s - self._since_s) * limit.per_s)
        self._since_s = now_s
        if credits < 1.0:
            self._credits = credits
            retry_ms = max(1, math.ceil((1.0 - credits) / limit.per_s * 1000))
            message = limit.message.replace("{wait}", f"{math.ceil(retry_ms / 1000)} s")
            raise Rejection(limit.code, message, retry_ms=retry_ms)
        self._credits = credits - 1.0


class Limits:
    """The buckets of players and addresses.

    The least recently used are evicted. An evicted caller starts with full credit again. ``off`` lifts every limit but
    the tries of resume codes.
    """

    def __init__(self, *, off: bool) -> None:
        self.off = off
        self._buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def take(self, limit: Limit, holder: str, now_s: float) -> None:
        """Use one of a holder's credits. Raise :class:`Rejection`."""
        if self.off and limit is not RESUME:
            return
        key = (limit.name, holder)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(limit, now_s)
            if len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        bucket.take(now_s)
