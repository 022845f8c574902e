"""A client that does not read is cut: the others do not wait for it, and it does not fill the memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.conftest import StartServer
from tests.support.deaf_client import deaf_client
from tests.support.footprint import rss_kib
from tests.support.metrics import metric
from tests.support.player import WAIT_S
from tests.support.rooms import pair, until_crowd

LINE = "\U0001f600" * 280
"""A chat line of more than a kilobyte."""
MAX_GROWTH_KIB = 30_000
CUT = "noughts_connections_cut_total"


def enough_bytes() -> int:
    """Return more bytes than can wait between a server and a client that takes in next to nothing."""
    most = int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[-1])
    return 2 * most + (4 << 20)


async def test_a_client_that_never_reads_is_cut(start_server: StartServer) -> None:
    """The others go on all the while, and one that reads misses nothing."""
    server = start_server()
    async with pair(server) as room, asyncio.TaskGroup() as group:
        reading = group.create_task(room.o.read_all())
        with deaf_client(server, {"room": room.id}):
            await room.x.until(lambda m: bool(m["type"] == "crowd" and m["spectators"] == 1))
            before_kib = rss_kib(server.pid)
            for n in range(0, enough_bytes() // len(LINE.encode()), 200):
                for i in range(n, n + 200):
                    await room.x.send({"type": "chat", "id": f"c{i}", "text": LINE})
                answer = await room.x.until(lambda m, last=f"c{n + 199}": bool(m.get("id") == last))  # type: ignore[misc]
                assert answer["type"] == "ok"
                if await metric(server, CUT):
                    break
            async with asyncio.timeout(WAIT_S):  # it is given a moment to learn why
                while not await metric(server, CUT):  # noqa: ASYNC110 - there is no event to wait for
                    await asyncio.sleep(0.1)
            assert await metric(server, CUT) == 1
            assert rss_kib(server.pid) - before_kib < MAX_GROWTH_KIB
            crowd = await until_crowd(room.x, lambda crowd: bool(crowd["spectators"] == 0))
            assert crowd["seats"]["O"]["present"]
        reading.cancel()
        await asyncio.wait((reading,))
        await room.play("b2", "a1")
        numbers = {line["n"] for message in room.o.seen if message["type"] == "chat" for line in message["lines"]}
        assert len(numbers) > 500
