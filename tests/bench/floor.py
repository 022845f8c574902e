"""The floor's process: aiohttp, uvloop and nothing else. Whatever a client sends, its whole room is sent one text.

``python floor.py PAYLOAD_BYTES`` prints its port and serves until SIGTERM.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import defaultdict

import uvloop
from aiohttp import web

ROOMS: dict[str, list[web.WebSocketResponse]] = defaultdict(list)


async def serve(payload: str) -> None:
    async def room(request: web.Request) -> web.WebSocketResponse:
        ws = web.WebSocketResponse(compress=False, max_msg_size=8_193)
        await ws.prepare(request)
        members = ROOMS[request.match_info["room"]]
        members.append(ws)
        async for _ in ws:
            for member in members:
                await member.send_str(payload)
        members.remove(ws)
        return ws

    app = web.Application()
    app.router.add_get("/{room}", room)
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
        runner.run(serve("x" * int(sys.argv[1])))
