"""The floor: aiohttp and uvloop with no rules and no store, which is the least that a move can cost.

``python -m bench.floor PAYLOAD_BYTES`` prints its port and serves until SIGTERM. For whatever a client sends to
``/rooms/ID``, all connections of this room get one text.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import defaultdict
from collections.abc import Sequence

import uvloop
from aiohttp import web

from bench.child import Child
from bench.noughts_server import TREE
from bench.subject import GAME, SEEN, Room, Subject
from bench.websocket import WebSocket, connect, frame


class FloorRoom(Room):
    """Two connections that the floor sends the same text."""

    awaits = SEEN[0] | SEEN[1]

    def moves(self) -> Sequence[tuple[WebSocket, bytes]]:
        return [
            (self.sockets[ply % 2], frame(f'{{"type":"move","id":"m{ply}","ply":{ply},"cell":"{cell}"}}'.encode()))
            for ply, cell in enumerate(GAME)
        ]

    def meaning(self, player: int, message: bytes) -> int:
        return SEEN[player]

    def finished(self) -> bool:
        return True

    async def renew(self) -> None:
        pass


class Floor(Subject):
    """The floor, with texts of a view's size."""

    def __init__(self, size: int) -> None:
        self.name = "bare aiohttp"
        self.child = Child([sys.executable, "-m", "bench.floor", str(size)], r"port (\d+)", {}, TREE)

    async def open_room(self, number: int) -> FloorRoom:
        url = f"ws://127.0.0.1:{self.child.address}/rooms/{number}"
        return FloorRoom((await connect(url), await connect(url)))


async def serve(size: int) -> None:
    """Serve on a free port until SIGTERM."""
    text, rooms = "x" * size, defaultdict[str, list[web.WebSocketResponse]](list)

    async def room(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False, max_msg_size=8_193)
        await socket.prepare(request)
        members = rooms[request.match_info["room"]]
        members.append(socket)
        async for _ in socket:
            for member in members:
                await member.send_str(text)
        members.remove(socket)
        return socket

    app = web.Application()
    app.router.add_get("/rooms/{room}", room)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print("port", runner.addresses[0][1], flush=True)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    await runner.cleanup()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1])))
