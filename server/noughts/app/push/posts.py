"""Posts to push services and to the webhook: to checked addresses, without redirects, three tries, in a bounded queue."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
import socket
import ssl
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

import aiohttp
import structlog
from aiohttp.abc import AbstractResolver, ResolveResult

from noughts.app.push.lookups import Resolve
from noughts.app.runtime.push_hosts import is_public
from noughts.app.runtime.tasks import Tasks

log = structlog.get_logger()

POST_S: Final = 10.0
"""Seconds for one post, with connecting and the answer."""
CONNECT_S: Final = 3.0
"""Seconds of these to find the address and to connect."""
ANSWER_BYTES: Final = 1_024
"""Bytes that are read of an answer."""
REASON_CHARACTERS: Final = 200
TRIES: Final = 3
PAUSES_S: Final = (2.0, 10.0)
"""Seconds between tries, unless the answer has a ``Retry-After``."""
MAX_RETRY_AFTER_S: Final = 60
"""The longest ``Retry-After`` that the server obeys."""
AT_A_TIME: Final = 10
FEW_AT_A_TIME: Final = 2
MAX_WAITING: Final = 2_048
"""Posts that wait. Further ones are dropped."""
MAX_OF_TURN: Final = 256
"""Posts that wait of one turn, such as those to the players of one network."""

Pause = Callable[[float], Awaitable[None]]
"""Waits for some seconds between two tries."""
IsWanted = Callable[[], Awaitable[bool]]
"""Return whether a post should be tried again."""


class PrivateAddressError(OSError):
    """A name leads to an address of a private network."""


class Answer(NamedTuple):
    """The outcome of a post: its status, 0 without an answer; how many posts there were; what the receiver says about it."""

    status: int
    tries: int = 1
    reason: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the message was taken."""
        return 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """Whether there is no such receiver any more."""
        return self.status in (404, 410)


class CheckedResolver(AbstractResolver):
    """Resolves each host once for each connection, and gives aiohttp only addresses that the server may connect to."""

    def __init__(self, resolve: Resolve, *, private: bool = False) -> None:
        self._resolve = resolve
        self._private = private

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a host. Raise :class:`PrivateAddressError` if one of them is private."""
        addresses = await self._resolve(host, port)
        if not self._private and not all(map(is_public, addresses)):
            raise PrivateAddressError(f"{host} leads to a private address")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Release nothing: the resolver keeps nothing."""


class Poster:
    """Posts bytes to URLs. ``private``: to any address. Without it only to public ones."""

    def __init__(
        self,
        rng: random.Random,
        *,
        private: bool,
        resolve: Resolve,
    ) -> None:
        self._rng = rng
        self._private = private
        self._resolve = resolve
        self._session: aiohttp.ClientSession | None = None

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], pause: Pause, is_wanted: IsWanted | None = None
    ) -> Answer:
        """Post a body, again after 429, 5xx and silence while it is wanted, three times in all. Raise nothing."""
        answer = Answer(0, 0)
        for tries in range(1, TRIES + 1):
            status, retry_after, reason = await self._try(url, body, headers)
            answer = Answer(status, tries, reason)
            if tries == TRIES or (status and status != 429 and status < 500):
                break
            await pause(PAUSES_S[tries - 1] * self._rng.uniform(1, 1.5) if retry_after is None else retry_after)
            if is_wanted is not None and not await is_wanted():
                break
        return answer

    async def _try(self, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, float | None, str]:
        """Return the status, 0 without one, the seconds that the answer asks to wait, and the beginning of its text."""
        with suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
            async with (await self._connected()).post(
                url, data=body, headers=headers, allow_redirects=False
            ) as response:
                text = (await response.content.read(ANSWER_BYTES)).decode(errors="replace")
                retry_after = _retry_after_s(response.headers)
                response.close()
                return response.status, retry_after, _reason(response.status, text)
        return 0, None, "no answer"

    async def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            context = await asyncio.to_thread(ssl.create_default_context)  # reads all certificates of the system
        if self._session is None:
            connector = aiohttp.TCPConnector(
                resolver=CheckedResolver(self._resolve, private=self._private),
                use_dns_cache=False,
                ssl=context,
                force_close=True,
            )
            timeout = aiohttp.ClientTimeout(total=POST_S, connect=CONNECT_S)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            )
        return self._session

    async def close(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()


def _reason(status: int, text: str) -> str:
    """Return the beginning of the text with which a receiver refuses a post."""
    return "" if 200 <= status < 300 else "".join(filter(str.isprintable, text))[:REASON_CHARACTERS]


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a ``Retry-After``; None without one, and for more than :data:`MAX_RETRY_AFTER_S`.

    A date counts from the ``Date`` of the answer, so the server's own clock does not matter.
    """
    text = headers.get("Retry-After", "")
    if text.isascii() and text.isdigit() and len(text) < 6:
        seconds = float(text)
    else:
        try:
            seconds = max(0.0, (_date(text) - _date(headers.get("Date", ""))).total_seconds())
        except ValueError:
            return None
    return seconds if seconds <= MAX_RETRY_AFTER_S else None


def _date(text: str) -> dt.datetime:
    """Return a date of a header, in the one format that RFC 9110 lets a server send. Raise ValueError."""
    return dt.datetime.strptime(f"{text} +0000", "%a, %d %b %Y %H:%M:%S GMT %z")


class PostQueue:
    """Runs posts in the background, a few at a time, so that no move waits for them.

    Each post has a turn, such as the network of its player, and turns alternate. No host has more than half of the slots. A
    post that waits for its next try holds no slot.
    """

    def __init__(self, tasks: Tasks, *, at_a_time: int | None = None) -> None:
        self._tasks = tasks
        self._free = AT_A_TIME if at_a_time is None else at_a_time
        self._most_of_host = max(1, self._free // 2)
        self._at_host: Counter[str] = Counter()
        """The slots that are taken, by host."""
        self._waiting: dict[str, deque[tuple[str, asyncio.Future[None]]]] = {}
        """The hosts of the posts that wait for a slot, by turn. The next turn comes first."""
        self._of_turn: Counter[str] = Counter()
        """All posts that have not ended, by turn."""

    def put(self, post: Callable[[Pause], Awaitable[None]], turn: str = "", host: str = "") -> bool:
        """Run a post when its turn comes. Return False if too many wait. The post waits for its next try by its argument.

        Posts without a host are those to the only one.
        """
        if self._of_turn.total() >= MAX_WAITING or self._of_turn[turn] >= MAX_OF_TURN:
            return False
        self._of_turn[turn] += 1
        self._tasks.run(self._run(post, turn, host))
        return True

    async def _run(self, post: Callable[[Pause], Awaitable[None]], turn: str, host: str) -> None:
        place = _Place(self, turn, host)
        try:
            await place.take()
            await post(place.pause)
        except Exception:
            log.exception("a post failed")
        finally:
            place.give()
            self._of_turn[turn] -= 1
            if not self._of_turn[turn]:
                del self._of_turn[turn]

    def _may_begin(self, host: str) -> bool:
        return self._free > 0 and (not host or self._at_host[host] < self._most_of_host)

    def _begin(self, host: str) -> None:
        self._free -= 1
        self._at_host[host] += 1

    async def take(self, turn: str, host: str) -> None:
        """Return when a post of a turn has a slot."""
        if self._may_begin(host):
            self._begin(host)
            return
        slot = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(turn, deque()).append((host, slot))
        try:
            await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled():
                self.give(host)
            raise

    def give(self, host: str) -> None:
        """Take a slot back, and pass free slots to the posts whose turns are next."""
        self._free += 1
        self._at_host[host] -= 1
        if not self._at_host[host]:
            del self._at_host[host]
        for turn in list(self._waiting):
            posts = self._waiting[turn]
            for place, (next_host, slot) in enumerate(posts):
                if slot.done() or self._may_begin(next_host):
                    del posts[place], self._waiting[turn]
                    if posts:
                        self._waiting[turn] = posts
                    if not slot.done():  # else the server stops
                        self._begin(next_host)
                        slot.set_result(None)
                        return
                    break


class _Place:
    """The slot of one post, which it has except while it pauses."""

    def __init__(self, queue: PostQueue, turn: str, host: str) -> None:
        self._queue = queue
        self._turn = turn
        self._host = host
        self._taken = False

    async def take(self) -> None:
        """Wait for a slot."""
        await self._queue.take(self._turn, self._host)
        self._taken = True

    def give(self) -> None:
        """Give the slot back, if there is one."""
        if self._taken:
            self._taken = False
            self._queue.give(self._host)

    async def pause(self, seconds: float) -> None:
        """Wait without a slot, then for the next one."""
        self.give()
        await asyncio.sleep(seconds)
        await self.take()
