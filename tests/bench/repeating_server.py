"""A WebSocket server that gives every command the same answer: a view, and an ``ok``. ``websockets`` serves it.

What its clients spend is their own: there are no rules and no store. The view is that of a game on a board of 4x4.
"""

from __future__ import annotations

import asyncio
import re
import signal
from typing import Final

from websockets.asyncio.server import ServerConnection, serve

from noughts.protocol.codec import encode
from noughts.protocol.messages import PROTOCOL, Welcome
from tests.bench.repeated_view import room_message

_ID: Final = re.compile(rb'"id":"([^"]+)"')


async def repeat(socket: ServerConnection) -> None:
    """Welcome a client and answer its commands until it leaves."""
    await socket.recv()
    await socket.send(encode(Welcome(PROTOCOL, None, 0, ())), text=True)
    version = 1
    await socket.send(room_message(version), text=True)
    async for command in socket:
        match = _ID.search(command if isinstance(command, bytes) else command.encode())
        assert match is not None
        version += 1
        await socket.send(room_message(version), text=True)
        await socket.send(b'{"type":"ok","id":"%b","version":%d}' % (match[1], version), text=True)


async def main() -> None:
    """Serve on a free port until SIGTERM."""
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    async with serve(repeat, "127.0.0.1", 0, compression=None) as server:
        print("port", next(iter(server.sockets)).getsockname()[1], flush=True)
        await stopped.wait()


if __name__ == "__main__":
    asyncio.run(main())
