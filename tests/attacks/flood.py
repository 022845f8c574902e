"""Sockets of one player that send as fast as the server reads, in a process of their own.

Its last line is a list of close codes as JSON: one of each socket, null where the server reads no more.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AbstractAsyncContextManager
from typing import Final

from tests.attacks.attacker import Target, attacking
from tests.support.raw_websocket import LOBBY_HELLO, PING, PONG, TEXT, client_frame, handshake

SOCKETS: Final = 12
_COMMAND: Final = client_frame(TEXT, json.dumps({"type": "ping", "id": "1"}).encode())
FLOODS: Final = {
    "ping commands": 500 * _COMMAND,
    "control pings": 2_000 * client_frame(PING, b""),
    "control pongs": 2_000 * client_frame(PONG, b""),
    "parts of no end": client_frame(TEXT, b"{", fin=False) + 2_000 * client_frame(0, b"", fin=False),
    "large frames": 20 * client_frame(TEXT, b"x" * 8_000),
}


async def flooding(server: Target, flood: bytes) -> int | None:
    """Send as fast as the server reads. Return the close code; None if the server reads no more for a while."""
    async with handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO))
        closing = asyncio.create_task(client.close_code())
        while not closing.done():
            client.writer.write(flood)
            try:
                async with asyncio.timeout(1.0):
                    await client.writer.drain()
            except TimeoutError:
                closing.cancel()
                return None
            except ConnectionError:
                break
            await asyncio.sleep(0)
        return await closing


async def _flood(url: str, name: str) -> None:
    codes = await asyncio.gather(*[flooding(Target(url), FLOODS[name]) for _ in range(SOCKETS)])
    print(json.dumps(codes), flush=True)


def flooded(url: str, name: str) -> AbstractAsyncContextManager[asyncio.Task[list[int | None]]]:
    """Flood a server while the block runs. The task returns the close codes."""
    return attacking("tests.attacks.flood", url, name)


if __name__ == "__main__":
    asyncio.run(_flood(*sys.argv[1:]))
