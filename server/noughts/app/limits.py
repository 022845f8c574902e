"""Every limit of rate and number, in one place, and the buckets that keep them.

A bucket holds credits: it starts full, each use takes some, and it fills up again with time. The limits of an address are
wide enough for a class of forty behind one address.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Final, NamedTuple

from noughts.errors import Code, Rejection


class Limit(NamedTuple):
    """So many credits at once (``burst``), refilled at ``per_s`` a second; ``{wait}`` in the message is how long to wait."""

    name: str
    burst: float
    per_s: float
    message: str
    code: Code = "rate_limited"


MESSAGES: Final = Limit("messages of a socket", 40, 10, "Too many messages: slow down.")
PINGS: Final = Limit("pings of a socket", 10, 2, "Too many pings: two a second will do.")
CHAT: Final = Limit("chat of a player", 6, 0.5, "You are chatting too fast: wait a moment.")
REACTIONS: Final = Limit("reactions of a player", 8, 1, "Too many reactions: wait a moment.")
ROOMS: Final = Limit(
    "rooms of a player", 30, 1 / 60, "You have made many rooms: use one of them, or wait {wait}.", "too_many_rooms"
)
ROOMS_ADDRESS: Final = Limit(
    "rooms of an address", 400, 0.5, "Many rooms were made from your network: wait {wait}.", "too_many_rooms"
)
GUESTS: Final = Limit("new guests of an address", 100, 0.5, "Many guests came from your network: wait a moment.")
CALLS: Final = Limit("calls of an address", 400, 40, "Too many calls from your network: slow down.")
RESUME: Final = Limit("tries of resume codes of an address", 5, 5 / 60, "Too many tries: wait a minute.")
SEARCHES: Final = Limit("analyses of a player or address", 20, 0.5, "Too many analyses: wait a moment.")

MAX_SOCKETS_OF_ADDRESS: Final = 400
MAX_SOCKETS_OF_PLAYER: Final = 12
MAX_ROOMS_OF_PLAYER: Final = 40
MAX_ROOMS: Final = 20_000
BAD_MESSAGES: Final = 20
"""So many messages that are no JSON object or have no usable id close the connection."""

_KEPT: Final = 20_000
_CREDIT: Final = 1.0


class Bucket:
    """The credits of one holder under one limit."""

    __slots__ = ("credits", "limit", "since_s")

    def __init__(self, limit: Limit, now_s: float) -> None:
        self.limit = limit
        self.credits = limit.burst
        self.since_s = now_s

    def take(self, now_s: float, cost: float = _CREDIT) -> None:
        """Use credits. Raises a :class:`Rejection` with the time until there are enough."""
        limit = self.limit
        credit = min(limit.burst, self.credits + (now_s - self.since_s) * limit.per_s)
        self.since_s = now_s
        if credit < cost:
            self.credits = credit
            retry_ms = math.ceil((cost - credit) / limit.per_s * 1000)
            message = limit.message.replace("{wait}", f"{max(1, math.ceil(retry_ms / 1000))} s")
            raise Rejection(limit.code, message, retry_ms=max(1, retry_ms))
        self.credits = credit - cost


class Limits:
    """The buckets of players and addresses; the least recently used are forgotten, which only ever forgives.

    ``off`` lifts every limit but the tries of resume codes.
    """

    def __init__(self, *, off: bool) -> None:
        self.off = off
        self._buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def take(self, limit: Limit, holder: str, now_s: float, cost: float = _CREDIT) -> None:
        """Use a holder's credits. Raises a :class:`Rejection`."""
        if self.off and limit is not RESUME:
            return
        key = (limit.name, holder)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(limit, now_s)
            if len(self._buckets) > _KEPT:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        bucket.take(now_s, cost)
