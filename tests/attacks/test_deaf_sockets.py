"""Sockets of one address that never read, in a room where much is said: they take little memory, and are cut."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.conftest import StartServer
from tests.support.deaf_client import deaf_client
from tests.support.footprint import rss_kib
from tests.support.metrics import metric
from tests.support.player import WAIT_S
from tests.support.rooms import pair, until_crowd
from tests.support.server import RunningServer

SOCKETS: Final = 400
MOST_MIB: Final = 100
"""Memory for all of them, of the kernel and of the server each."""
LINE: Final = "\U0001f600" * 280
AT_ONCE: Final = 20
"""Lines that are sent before their answers are awaited."""


def unread_kib(server: RunningServer) -> int:
    """Return how much the kernel keeps of what a server sent, until the clients take it."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    queues = [row[4] for row in rows if row[1].endswith(f":{server.port:04X}")]
    return sum(int(queue.partition(":")[0], 16) for queue in queues) // 1024


async def test_unread_sockets_take_little_memory(start_server: StartServer) -> None:
    server = start_server()
    async with pair(server) as room, asyncio.TaskGroup() as group, asyncio.timeout(2 * WAIT_S):
        reading = group.create_task(room.o.read_all())
        before_kib = rss_kib(server.pid)
        most_kib = grown_kib = cut = 0
        with ExitStack() as sockets:
            for _ in range(SOCKETS):
                sockets.enter_context(deaf_client(server, {"room": room.id}))
            await until_crowd(room.x, lambda crowd: bool(crowd["spectators"] == SOCKETS))
            for n in itertools.count(step=AT_ONCE):
                for i in range(n, n + AT_ONCE):
                    await room.x.send({"type": "chat", "id": f"c{i}", "text": LINE})
                answer = await room.x.until(lambda m, last=f"c{n + AT_ONCE - 1}": bool(m.get("id") == last))  # type: ignore[misc]
                assert answer["type"] == "ok", answer
                most_kib = max(most_kib, unread_kib(server))
                grown_kib = max(grown_kib, rss_kib(server.pid) - before_kib)
                cut = int(await metric(server, "noughts_connections_cut_total"))
                if cut == SOCKETS:
                    break
        reading.cancel()
        await asyncio.wait((reading,))
        await room.play("b2", "a1")
    print(
        f"{cut} of {SOCKETS} sockets cut: {most_kib / 1024:.0f} MiB in the kernel, {grown_kib / 1024:.0f} MiB in the server"
    )
    assert most_kib <= MOST_MIB * 1024
    assert grown_kib <= MOST_MIB * 1024
