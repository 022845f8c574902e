"""The bare floor: aiohttp, uvloop and nothing else. Whatever one of a room sends, everybody in it is sent a text.

A process of its own: ``python -m tests.bench.floor PAYLOAD_BYTES`` prints its port.
"""

from __future__ import annotations

import asyncio
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
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until the bench lets go
    await runner.cleanup()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve("x" * int(sys.argv[1])))
