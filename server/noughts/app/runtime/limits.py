"""Every limit on clients, with its number and its reason. The first part is in the order in which a message meets them.

The limits of an address allow for a school class of forty behind one address. ``NOUGHTS_LIMITS=off`` lifts every rate and
every number of an address or a player, except the tries of resume codes. Deadlines and sizes stay.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
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

# --- 1. The TCP connection. Beyond it: 429, and the connection ends; or it displaces one of a larger network. -------

WIDER: Final = (1, 4, 16)
"""How many times the limit of a /64 a /56 and a /48 may use. Many subscribers may share the wider networks."""
MAX_CONNECTIONS_OF_ADDRESS: Final = 512
"""TCP connections: the WebSockets of an address, and its HTTP requests."""
HEAD_S: Final = 10.0
"""Seconds that a client has for the head of a request."""
KEEP_ALIVE_S: Final = 30.0
"""Seconds that a connection may stay open between two requests."""
KEEP_ALIVE_OF_PROXY_S: Final = 130.0
"""The same for a trusted proxy: longer than proxies keep theirs (60 to 120 s), so no request meets its end."""

# --- 2. Its bytes. Beyond it: the transport is not read until there is credit. --------------------------------------

BYTES: Final = Rate(320 * 1024, 80 * 1024)
"""Bytes that a client may send on one connection: as many as its messages may have."""
FRAME_BYTES: Final = 64
"""Bytes that a frame costs on top of its own: a frame without content costs the server about as much time as these."""
GRANT: Final = 4 * 1024
"""Bytes that are charged at a time."""
MAX_PAUSE_S: Final = 10.0
"""The longest time for which nothing is read from a client."""

# --- 3. The request. Beyond it: it waits for its turn, or is answered with 429. -------------------------------------

BEGUN_AT_ONCE: Final = 8
"""Requests of one network that begin in an interval: as many as a browser sends for a page. Further requests wait."""
INTERVAL_S: Final = 0.02
REQUESTS: Final = Limit("requests of an address", Rate(400, 40), "Too many requests from your network: slow down.")
FILES: Final = Limit(
    "files of the page for an address", Rate(2_000, 100), "Too many files went to your network: wait a moment."
)
MAX_BODY: Final = 16 * 1024
"""The largest body of a request, in bytes."""
BODY_S: Final = 10.0
"""Seconds that a client has for the body of a request."""
LINGER_S: Final = 1.0
"""Seconds for which the rest of a body is read when the answer did not need it."""

# --- 4. The handshake and the hello. Beyond it: 429, or close code 4429 for a player, or 4408 without a hello. ------

MAX_SOCKETS_OF_ADDRESS: Final = 400
HELLO_S: Final = 5.0
"""Seconds that a client has for its hello."""
MAX_SOCKETS_OF_PLAYER: Final = 64

# --- 5. The frame. Beyond it: the rest waits for a later turn of the event loop; close code 1009 for a large message. ---

PIECE: Final = 2 * 1024
"""Bytes of one client that are parsed in a turn of the event loop. So no client's bytes take all of its time."""
MAX_FRAME: Final = 8_192
"""The largest message of a client, in bytes, also if it comes in parts."""

# --- 6. The message. Beyond it: the answer ``rate_limited``, and nothing is read until there is credit. -------------

MESSAGES: Final = Limit("messages of a socket", Rate(40, 10), "Too many messages: slow down.")
MESSAGES_OF_ADDRESS: Final = Limit(
    "messages of an address", Rate(1_200, 240), "Too many messages from your network: slow down."
)
MESSAGES_OF_PLAYER: Final = Limit("messages of a player", Rate(120, 30), "You send too many messages: slow down.")
PINGS: Final = Limit("pings of a socket", Rate(10, 2), "Too many pings: send at most two a second.")
MAX_UNREAD_S: Final = 1.0
"""The longest time for which a client is not read because a message had no credit."""

# --- 7. Messages without credit or form. Beyond it: close code 4429. ------------------------------------------------

EXCESS: Final = Limit("messages of a socket beyond its credit", Rate(400, 10), "Far too many messages.")
EXCESS_OF_ADDRESS: Final = Limit(
    "messages of an address beyond its credit", Rate(2_000, 100), "Far too many messages from your network."
)
MAX_MALFORMED_MESSAGES: Final = 20
"""Messages that are not a JSON object, or have no valid id, after which the connection is closed."""

# --- 8. Chat, counted by all nodes together. Beyond it: ``rate_limited``. The client is not read while the nodes count. ---

CHAT: Final = SharedLimit("chat of a player", Rate(6, 0.5), "You are chatting too fast: wait a moment.")
CHAT_ADDRESS: Final = SharedLimit(
    "chat of an address", Rate(300, 0.2), "Many chat lines came from your network: wait {wait}."
)
REACTIONS: Final = SharedLimit("reactions of a player", Rate(8, 1), "Too many reactions: wait a moment.")

# --- 9. The answer. Beyond it: close code 4503 for a WebSocket; the connection of a request is dropped. -------------

FULL_BYTES: Final = 64 * 1024
"""A client with this many unsent bytes in its transport counts as not reading."""
MAX_OUTBOX: Final = 128
"""The most messages that wait for a client that does not read."""
SLOW_S: Final = 10.0
"""Seconds that a client may go without reading."""
UNREAD_S: Final = 30.0
"""Seconds in which a client must read some part of the answer to a request."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes of the kernel's send buffer. Linux takes twice as many, and grows it to megabytes if it is not set."""

# --- 10. Silence, and the end. Beyond it: the connection is dropped. ------------------------------------------------

PING_INTERVAL_S: Final = 20.0
"""Seconds of silence after which a client is sent a Ping."""
TIMED_PING_INTERVAL_S: Final = 5.0
"""Seconds between two Pings to a player on a clock. The answers measure the lag."""
SILENT_S: Final = 50.0
"""Seconds of silence after which a client is dropped."""
CLOSE_S: Final = 2.0
"""Seconds that a client has to read our Close frame and to end its connection."""

# --- What requests and commands may make. ---------------------------------------------------------------------------

ROOMS: Final = SharedLimit(
    "rooms of a player",
    Rate(64, 1 / 60),
    "You have made many rooms: use one of them, or wait {wait}.",
    "too_many_rooms",
)
ROOMS_ADDRESS: Final = SharedLimit(
    "rooms of an address", Rate(400, 0.5), "Many rooms were made from your network: wait {wait}.", "too_many_rooms"
)
MAX_ROOMS: Final = 20_000
MAX_ROOMS_OF_PLAYER: Final = 80
MAX_ROOMS_OF_ADDRESS: Final = 400
"""Rooms that exist at a time, as far as the node that made them remembers."""
TOURNAMENTS_ADDRESS: Final = SharedLimit(
    "tournaments of an address",
    Rate(40, 1 / 300),
    "Many tournaments were made from your network: wait {wait}.",
    "too_many_tournaments",
)
MAX_TOURNAMENTS_OF_ADDRESS: Final = 100
"""Tournaments that are kept at a time, over or not, as far as the node that made them remembers."""
MAX_MATCHES_OF_ADDRESS: Final = 20_000
"""Matches of these tournaments. An arena that reaches the number rings its bell: 512 entrants play two hours for it."""
GUESTS: Final = SharedLimit(
    "new guests of an address", Rate(100, 0.5), "Many guests came from your network: wait a moment."
)
RENAMES: Final = SharedLimit("renames of a player", Rate(20, 1 / 30), "You have changed your name often: wait {wait}.")
"""A rename writes to every room of its player."""
RENAMES_ADDRESS: Final = SharedLimit(
    "renames of an address", Rate(200, 0.5), "Many players of your network changed their names: wait {wait}."
)
RESUME: Final = SharedLimit("tries of resume codes of an address", Rate(5, 5 / 60), "Too many tries: wait a minute.")
PINS: Final = SharedLimit(
    "wrong PINs of an address", Rate(1, 1 / 60), "Too many wrong PINs came from your network: wait {wait}."
)
PIN_TRIES: Final = 10
"""Each of so many tries of an address has the rate above. So no minute has more wrong PINs, not even the first one."""
EXPORTS: Final = SharedLimit("exports of a player", Rate(1, 0.1), "You have just asked for your data: wait {wait}.")
SUBSCRIPTIONS: Final = SharedLimit(
    "subscriptions of a player", Rate(10, 1 / 30), "You have subscribed to notices often: wait {wait}."
)
SUBSCRIPTIONS_ADDRESS: Final = SharedLimit(
    "subscriptions of an address", Rate(100, 0.02), "Many players of your network subscribed to notices: wait {wait}."
)
NOTICES_OF_ROOM: Final = SharedLimit("notices of a room", Rate(1, 0.1), "Another notice of this room was just sent.")
NOTICES_OF_PLAYER: Final = SharedLimit(
    "notices of a player on a day", Rate(60, 0.00001), "This player was sent many notices today."
)
"""Nothing lifts these two limits, and they reject no request. A notice waits until there is credit."""
WEBHOOK: Final = Rate(60, 1)
"""Events that one node sends to the webhook. Further ones are dropped and counted."""
PREVIEWS: Final = Limit("new previews of an address", Rate(20, 0.5), "Too many new pictures: wait a moment.")
SEARCHES: Final = Limit("analyses of a player or address", Rate(20, 0.5), "Too many analyses: wait a moment.")


MAX_HOLDERS: Final = 1_000
"""The most addresses and players for which rejections are counted apart."""


class ByteMeter:
    """The credit of one connection for the bytes that it sends."""

    __slots__ = ("_bucket", "_granted")

    def __init__(self) -> None:
        self._granted = GRANT
        self._bucket: Bucket | None = None

    def charge(self, count: int) -> float:
        """Charge some bytes. Return the seconds for which nothing may be read."""
        self._granted -= count
        wait_s = 0.0
        while self._granted < 0:
            now_s = time.monotonic()
            self._bucket = self._bucket or Bucket(Rate(BYTES.burst / GRANT, BYTES.per_s / GRANT), now_s)
            self._granted += GRANT
            if self._bucket.take(now_s):
                wait_s += GRANT / BYTES.per_s
        return min(wait_s, MAX_PAUSE_S)


class Bite(NamedTuple):
    """How often a limit or a ban rejected something, and whom it rejected most: an address, a network or a player."""

    limit: str
    times: int
    holder: str


class Bites:
    """Counts what limits and bans reject, so that a flood makes one line in the log and not one for each message."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._minutes: deque[list[Bite]] = deque(maxlen=60)

    def note(self, limit: str, holder: str) -> None:
        """Count one rejection."""
        key = (limit, holder)
        self._counts[key if key in self._counts or len(self._counts) < MAX_HOLDERS else (limit, "others")] += 1

    def end_minute(self) -> list[Bite]:
        """Return the counts since the last call, and start again at 0."""
        bites = self._bites()
        self._minutes.append(bites)
        self._counts.clear()
        return bites

    def of_last_hour(self) -> list[Bite]:
        """Return the counts of the last sixty minutes, each limit once. The holder is that of the worst minute."""
        return combined([*self._bites(), *[bite for minute in self._minutes for bite in minute]])

    def _bites(self) -> list[Bite]:
        bites: dict[str, Bite] = {}
        for (limit, holder), times in self._counts.most_common():
            first = bites.get(limit)
            bites[limit] = Bite(limit, times, holder) if first is None else first._replace(times=first.times + times)
        return list(bites.values())


def combined(counts: Iterable[Bite]) -> list[Bite]:
    """Return each limit once, with all its rejections. The holder is that of the largest count."""
    bites: dict[str, Bite] = {}
    for bite in sorted(counts, key=_times):
        before = bites.get(bite.limit)
        bites[bite.limit] = bite if before is None else bite._replace(times=bite.times + before.times)
    return list(bites.values())


def _times(bite: Bite) -> int:
    return bite.times


class Limits:
    """The credits of players and addresses. ``off`` lifts every limit except that on tries of resume codes."""

    def __init__(self, coordination: Coordination, *, off: bool) -> None:
        self.off = off
        self._coordination = coordination
        self._buckets = Buckets()
        self.bites = Bites()

    def take(self, limit: Limit, holder: str, now_s: float) -> None:
        """Use one of a holder's credits under a limit of this node. Raise :class:`Rejection`."""
        if not self.off:
            self._check(limit, holder, self._buckets.take(limit.name, holder, limit.rate, now_s))

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
        if not self.off or limit.name == RESUME.name:
            self._check(limit, holder, await self._coordination.take_credit(limit.name, holder, limit.rate))

    async def take_try(self, limit: SharedLimit, address: str, tries: int) -> list[tuple[str, SharedLimit]]:
        """Use the credit of one try of each network of an address. Raise :class:`Rejection`.

        Each of a network's tries has the rate of the limit. Return the credits, for :meth:`give_back`.
        """
        used: list[tuple[str, SharedLimit]] = []
        for network, widened in () if self.off else _of_networks(limit, address):
            waits_ms = []
            for number in range(tries):
                holder = f"{network} {number}"
                waits_ms.append(await self._coordination.take_credit(limit.name, holder, widened.rate))
                if not waits_ms[-1]:
                    used.append((holder, widened))
                    break
            self._check(limit, network, min(waits_ms))
        return used

    def _check(self, limit: Limit, holder: str, retry_ms: int) -> None:
        if retry_ms:
            self.bites.note(limit.name, holder)
            raise limit.rejection(retry_ms)

    async def give_back(self, used: list[tuple[str, SharedLimit]]) -> None:
        """Return the credits of a try."""
        for holder, limit in used:
            await self._coordination.give_credit(limit.name, holder, limit.rate)

    async def take_for_address(self, limit: SharedLimit, address: str) -> None:
        """Use one credit of each network of an address, under a limit of all nodes. Raise :class:`Rejection`."""
        for holder, widened in _of_networks(limit, address):
            await self.take_shared(widened, holder)


def networks_of(address: str) -> Iterator[tuple[str, int]]:
    """Yield each network of an address that limits count, and how many times the limit of an address it may use."""
    return zip(enclosing_networks(address), WIDER, strict=False)


def _of_networks(limit: AnyLimit, address: str) -> Iterator[tuple[str, AnyLimit]]:
    """Yield each network of an address with its limit: the wider networks have several times the limit."""
    for holder, wider in networks_of(address):
        rate = Rate(limit.rate.burst * wider, limit.rate.per_s * wider)
        yield holder, limit if wider == 1 else limit._replace(rate=rate)
