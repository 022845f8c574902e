"""Many connections of one address: each sends its request, and comes again when the server ends it."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import select
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from tests.support.server import RunningServer

ATTACKER: Final = "127.6.6.6"
CONNECTS_A_SECOND: Final = 400

Request = Callable[[socket.socket], None]


class Crowd:
    """The connections of the attacker. ``opened`` counts all that were ever opened, ``open`` those that are."""

    def __init__(self) -> None:
        self.opened = 0
        self.open: set[socket.socket] = set()
        self.ended = 0

    async def until_opened(self, count: int) -> None:
        """Wait until this many connections were opened in all."""
        while self.opened < count:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.05)


@asynccontextmanager
async def crowd(
    server: RunningServer, request: bytes, *, more: bytes = b"", size: int = 1_000, reads: bool = True
) -> AsyncIterator[Crowd]:
    """Keep ``size`` connections open. Each sends ``request``, and ``more`` over and over if there is any."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    people = Crowd()
    opener = asyncio.create_task(_open(server, people, request, size))
    talker = asyncio.create_task(_talk(people, more, reads=reads))
    try:
        yield people
    finally:
        for task in (opener, talker):
            task.cancel()
        await asyncio.wait((opener, talker))
        for line in people.open:
            line.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def _open(server: RunningServer, people: Crowd, request: bytes, size: int) -> None:
    while True:
        if len(people.open) < size:
            line = socket.socket()
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            people.open.add(line)
            line.bind((ATTACKER, 0))
            line.setblocking(False)
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(2):
                    await asyncio.get_running_loop().sock_connect(line, ("127.0.0.1", server.port))
                    line.send(request)
            people.opened += 1
        await asyncio.sleep(1 / CONNECTS_A_SECOND)


async def _talk(people: Crowd, more: bytes, *, reads: bool) -> None:
    """Send on, and close what the server has closed."""
    while True:
        for line in tuple(people.open):
            ended = False
            try:
                if more:
                    line.send(more)
                if reads:
                    ended = line.recv(65_536) == b""
                else:
                    ended = _is_ended(line)
            except BlockingIOError:
                pass
            except OSError:
                ended = True
            if ended:
                people.ended += 1
                people.open.discard(line)
                line.close()
        await asyncio.sleep(0.2)


def _is_ended(line: socket.socket) -> bool:
    """Return whether the server has ended a connection. Nothing that it sent is read."""
    poller = select.poll()
    poller.register(line, select.POLLRDHUP)
    return bool(poller.poll(0))
