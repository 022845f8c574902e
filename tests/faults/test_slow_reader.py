"""A client that does not read is cut: the others do not wait for it, and it does not fill the memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.conftest import StartServer
from tests.support.deaf_client import deaf_client
from tests.support.player import WAIT_S, Api, Socket
from tests.support.rooms import pair, until_crowd
from tests.support.server import RunningServer

LINE = "\U0001f600" * 280
"""A chat line of more than a kilobyte."""
MAX_GROWTH_KIB = 30_000


def enough_bytes() -> int:
    """Return more bytes than can wait between a server and a client that takes in next to nothing."""
    most = int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[-1])
    return 2 * most + (4 << 20)


def resident_kib(pid: int) -> int:
    """Return the memory that a process occupies."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


async def read_all(socket: Socket) -> None:
    """Read until cancelled."""
    while True:
        await socket.receive()


async def clients_cut(server: RunningServer) -> float:
    """Return how many clients the server has cut."""
    _, text = await Api(server.url).call("GET", "/metrics")
    lines = [line for line in text.splitlines() if line.startswith("noughts_connections_cut_total")]
    return sum(float(line.split()[-1]) for line in lines)


async def test_a_client_that_never_reads_is_cut(start_server: StartServer) -> None:
    """The others go on all the while, and one that reads misses nothing."""
    server = start_server()
    async with pair(server) as room, asyncio.TaskGroup() as group:
        reading = group.create_task(read_all(room.o))
        with deaf_client(server, {"room": room.id}):
            await room.x.until(lambda m: bool(m["type"] == "crowd" and m["spectators"] == 1))
            before_kib = resident_kib(server.pid)
            for n in range(0, enough_bytes() // len(LINE.encode()), 200):
                for i in range(n, n + 200):
                    await room.x.send({"type": "chat", "id": f"c{i}", "text": LINE})
                answer = await room.x.until(lambda m, last=f"c{n + 199}": bool(m.get("id") == last))  # type: ignore[misc]
                assert answer["type"] == "ok"
                if await clients_cut(server):
                    break
            async with asyncio.timeout(WAIT_S):  # it is given a moment to learn why
                while not await clients_cut(server):  # noqa: ASYNC110 - there is no event to wait for
                    await asyncio.sleep(0.1)
            assert await clients_cut(server) == 1
            assert resident_kib(server.pid) - before_kib < MAX_GROWTH_KIB
            crowd = await until_crowd(room.x, lambda crowd: bool(crowd["spectators"] == 0))
            assert crowd["seats"]["O"]["present"]
        reading.cancel()
        await asyncio.wait((reading,))
        await room.play("b2", "a1")
        numbers = {line["n"] for message in room.o.seen if message["type"] == "chat" for line in message["lines"]}
        assert len(numbers) > 500
