"""The floor's process: aiohttp, uvloop and nothing else. Whatever a client sends, its whole room is sent one text.

``python floor.py PAYLOAD_BYTES`` prints its port and serves until SIGTERM. ``/rooms/ID`` sends as an aiohttp program does;
``/transport/ID`` writes one ready frame to each connection's transport, which is the least that a fan-out can cost.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import defaultdict

import uvloop
from aiohttp import web


class Floor:
    """Rooms of connections that are all sent the same text."""

    def __init__(self, size: int) -> None:
        self._text = "x" * size
        self._frame = b"\x81\x7e" + size.to_bytes(2, "big") + self._text.encode()
        self._sockets: dict[str, list[web.WebSocketResponse]] = defaultdict(list)
        self._transports: dict[str, list[asyncio.Transport]] = defaultdict(list)

    async def room(self, request: web.Request) -> web.WebSocketResponse:
        """Send the text to each member."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=8_193)
        await socket.prepare(request)
        members = self._sockets[request.match_info["room"]]
        members.append(socket)
        async for _ in socket:
            for member in members:
                await member.send_str(self._text)
        members.remove(socket)
        return socket

    async def transport(self, request: web.Request) -> web.WebSocketResponse:
        """Write the ready frame to each member's transport."""
        socket = web.WebSocketResponse(compress=False, max_msg_size=8_193)
        await socket.prepare(request)
        assert request.transport is not None
        members = self._transports[request.match_info["room"]]
        members.append(request.transport)
        async for _ in socket:
            for member in members:
                member.write(self._frame)
        return socket


async def serve(size: int) -> None:
    """Serve on a free port until SIGTERM."""
    floor = Floor(size)
    app = web.Application()
    app.router.add_get("/rooms/{room}", floor.room)
    app.router.add_get("/transport/{room}", floor.transport)
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
