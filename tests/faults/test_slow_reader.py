"""A client that does not read is cut; nobody waits for it, and it does not fill the memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.faults.deaf import deaf_client
from tests.support.player import WAIT_S, Api
from tests.support.rooms import pair, until_crowd

LINE = "\U0001f600" * 280  # more than a kilobyte of text


def enough():
    """More bytes than can wait between a server and a client that takes in next to nothing."""
    most = int(Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()[-1])
    return 2 * most + (4 << 20)


def resident_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


async def read_all(socket):
    while True:
        await socket.receive()


async def cut(server):
    _, text = await Api(server.url).call("GET", "/metrics")
    return sum(
        float(line.split()[-1]) for line in text.splitlines() if line.startswith("noughts_connections_cut_total")
    )


async def test_a_client_that_never_reads_is_cut_while_the_others_go_on(start_server):
    server = start_server()
    async with pair(server) as table, asyncio.TaskGroup() as group:
        reads = group.create_task(read_all(table.o))
        with deaf_client(server, {"room": table.id}):
            await table.x.until(lambda m: m["type"] == "crowd" and m["spectators"] == 1)
            before = resident_kib(server.pid)
            for n in range(0, enough() // len(LINE.encode()), 200):
                for i in range(n, n + 200):
                    await table.x.send({"type": "chat", "id": f"c{i}", "text": LINE})
                answer = await table.x.until(lambda m, n=n: m.get("id") == f"c{n + 199}")
                assert answer["type"] == "ok"
                if await cut(server):
                    break
            async with asyncio.timeout(WAIT_S):  # it is given a moment to hear why
                while not await cut(server):  # noqa: ASYNC110 - there is no event to wait for
                    await asyncio.sleep(0.1)
            assert await cut(server) == 1
            assert resident_kib(server.pid) - before < 30_000
            crowd = await until_crowd(table.x, lambda crowd: crowd["spectators"] == 0)
            assert crowd["seats"]["O"]["present"]
        reads.cancel()
        await asyncio.wait((reads,))
        await table.play("b2", "a1")  # and who read all the time has missed nothing
        assert len({line["n"] for m in table.o.seen if m["type"] == "chat" for line in m["lines"]}) > 500
