"""Server CPU for one acknowledged, durably stored move that both players see, against the bare floor of the same run."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import aiohttp

from tests.bench.measure import cpu_ns, report
from tests.player import guest
from tests.serving import QUICK, RunningServer

ROOMS = 200
ROUNDS = 6
GAME = "b2 a1 c3 a3 a2 c2 b1 b3 c1".split()  # a draw: nine moves


class Room:
    """Two players in one room of the real server, driven without parsing more than is needed."""

    def __init__(self, sockets: tuple[aiohttp.ClientWebSocketResponse, aiohttp.ClientWebSocketResponse]) -> None:
        self.sockets = sockets
        self.game = 1
        self.first = 0
        self.count = 0

    async def play(self) -> None:
        """One game; each move is answered and seen by both before the next."""
        for ply, cell in enumerate(GAME):
            mover = self.sockets[(ply + self.first) % 2]
            self.count += 1
            await mover.send_str(f'{{"type":"move","id":"m{self.count}","ply":{ply},"cell":"{cell}"}}')
            await asyncio.gather(self._seen(mover, True), self._seen(self.sockets[(ply + self.first + 1) % 2], False))

    async def _seen(self, socket: aiohttp.ClientWebSocketResponse, own: bool) -> None:
        view, ok = False, not own
        while not (view and ok):
            text = str((await socket.receive()).data)
            if text.startswith('{"type":"room"'):
                view = True
            elif text.startswith('{"type":"ok"'):
                ok = True
            elif text.startswith('{"type":"rejected"'):
                raise AssertionError(text)

    async def again(self) -> None:
        """A rematch, which swaps the marks."""
        a, b = self.sockets
        self.count += 1
        await a.send_str(f'{{"type":"offer","id":"o{self.count}","what":"rematch"}}')
        await asyncio.gather(self._seen(a, True), self._seen(b, False))
        await b.send_str(f'{{"type":"answer","id":"a{self.count}","what":"rematch","accept":true}}')
        await asyncio.gather(self._seen(a, False), self._seen(b, True))
        self.first = 1 - self.first
        self.game += 1


async def durable(server: RunningServer, session: aiohttp.ClientSession) -> tuple[float, int]:
    """µs of server CPU a move, and the size of a view."""
    rooms = []
    for _ in range(ROOMS):
        ann, ben = await guest(server.url), await guest(server.url)
        made = await ann.post("/api/rooms", {"variant": "classic", "opponent": "friend", "mark": "X"})
        sockets = []
        for player in (ann, ben):
            socket = await session.ws_connect(server.ws_url, compress=0)
            hello = {"type": "hello", "protocol": 1, "room": made["room"]["id"], "token": player.token}
            await socket.send_json(hello)
            sockets.append(socket)
        await sockets[1].send_json({"type": "sit", "id": "sit", "mark": "O", "invite": made["invite"]})
        size = 0
        while True:
            message = (await sockets[1].receive()).data
            size = len(message) if message.startswith('{"type":"room"') else size
            if json.loads(message)["type"] == "ok":
                break
        rooms.append(Room((sockets[0], sockets[1])))
    await asyncio.gather(*(drain(socket) for room in rooms for socket in room.sockets))
    best = []
    for _ in range(ROUNDS):
        before = cpu_ns(server.pid)
        await asyncio.gather(*(room.play() for room in rooms))
        best.append((cpu_ns(server.pid) - before) / (ROOMS * len(GAME)) / 1000)
        await asyncio.gather(*(room.again() for room in rooms))
    for room in rooms:
        for socket in room.sockets:
            await socket.close()
    return sorted(best)[len(best) // 2], size


async def drain(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Read what came while the room filled: crowds come a second later at most."""
    try:
        while True:
            async with asyncio.timeout(1.5):
                await socket.receive()
    except TimeoutError:
        pass


async def bare(session: aiohttp.ClientSession, size: int) -> float:
    """µs of CPU for the same through aiohttp alone."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.floor", str(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    port = int(process.stdout.readline())
    pairs = []
    for number in range(ROOMS):
        url = f"ws://127.0.0.1:{port}/{number}"
        pairs.append((await session.ws_connect(url, compress=0), await session.ws_connect(url, compress=0)))

    async def play(a: aiohttp.ClientWebSocketResponse, b: aiohttp.ClientWebSocketResponse) -> None:
        for ply, cell in enumerate(GAME):
            mover = (a, b)[ply % 2]
            await mover.send_str(f'{{"type":"move","id":"m{ply}","ply":{ply},"cell":"{cell}"}}')
            await asyncio.gather(a.receive(), b.receive())

    costs = []
    for _ in range(ROUNDS):
        before = cpu_ns(process.pid)
        await asyncio.gather(*(play(a, b) for a, b in pairs))
        costs.append((cpu_ns(process.pid) - before) / (ROOMS * len(GAME)) / 1000)
    for pair in pairs:
        for socket in pair:
            await socket.close()
    process.stdin.close()
    process.wait(10)
    return sorted(costs)[len(costs) // 2]


async def main() -> None:
    connector = aiohttp.TCPConnector(limit=0)
    with tempfile.TemporaryDirectory() as folder:
        server = RunningServer(Path(folder), QUICK).start()
        try:
            async with aiohttp.ClientSession(connector=connector) as session:
                cost, size = await durable(server, session)
                floor = await bare(session, size)
        finally:
            server.stop()
    report("bare aiohttp, one text to two players", f"{floor:.1f} µs")
    report("durable move seen by two players, 200 rooms", f"{cost:.1f} µs")
    report("  ratio", f"{cost / floor:.2f}", "at most 2.5")


if __name__ == "__main__":
    asyncio.run(main())
