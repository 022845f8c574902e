"""Finds the addresses of hosts. A name server that is silent about one host makes no other host wait."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeAlias

MAX_LOOKUPS: Final = 32
"""Look-ups that are under way. Each has a thread of its own, because the system's takes up to half a minute to give up."""
KNOWN_S: Final = 1.0
"""Seconds that a look-up may take for a host whose addresses are known. After that, the known ones are used."""
MAX_KNOWN: Final = 256

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a host for a port. Raises OSError or UnicodeError."""
_Outcome: TypeAlias = list[str] | OSError | UnicodeError


def _look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as the system finds them. Raise OSError or UnicodeError."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in addresses))


class Lookups:
    """Looks up hosts, each once at a time, and remembers the addresses of those that were found."""

    def __init__(self, look_up: Callable[[str, int], list[str]] = _look_up) -> None:
        self._look_up = look_up
        self._under_way: dict[tuple[str, int], asyncio.Future[_Outcome]] = {}
        self._known: OrderedDict[str, list[str]] = OrderedDict()

    async def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host. Raise OSError or UnicodeError."""
        last_addresses = self._known.get(host)
        future = self._under_way.get((host, port))
        if future is None and len(self._under_way) >= MAX_LOOKUPS:
            if last_addresses is None:
                raise OSError("too many hosts are being looked up")
            return last_addresses
        future = future or self._begin(host, port)
        try:
            async with asyncio.timeout(KNOWN_S if last_addresses else None):
                outcome = await asyncio.shield(future)
        except TimeoutError:
            if last_addresses is None:
                raise
            return last_addresses
        if isinstance(outcome, list):
            return outcome
        raise outcome

    def _begin(self, host: str, port: int) -> asyncio.Future[_Outcome]:
        loop = asyncio.get_running_loop()
        future = self._under_way[host, port] = loop.create_future()

        def run() -> None:
            outcome: _Outcome
            try:
                outcome = self._look_up(host, port)
            except (OSError, UnicodeError) as error:
                outcome = error
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(self._end, host, port, outcome)

        threading.Thread(target=run, name="look-up", daemon=True).start()
        return future

    def _end(self, host: str, port: int, outcome: _Outcome) -> None:
        self._under_way.pop((host, port)).set_result(outcome)
        if isinstance(outcome, list):
            self._known[host] = outcome
            self._known.move_to_end(host)
            if len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)
