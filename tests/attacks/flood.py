"""Floods from one address, each in a process of its own: frames on the sockets of one player, or requests without credit.

    python -m tests.attacks.flood URL NAME          send frames as fast as the server reads them
    python -m tests.attacks.flood URL PATH ANSWERS  ask for a path until this many answers have come

It prints a list of close codes as JSON, null for a socket that the server no longer reads; or the number of answers.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Final
from urllib.parse import urlsplit

from tests.attacks.attacker import Target, attacking
from tests.support.raw_websocket import LOBBY_HELLO, PING, PONG, TEXT, client_frame, handshake

SOCKETS: Final = 12
FLOODS: Final = {
    "ping commands": 500 * client_frame(TEXT, json.dumps({"type": "ping", "id": "1"}).encode()),
    "control pings": 2_000 * client_frame(PING, b""),
    "control pongs": 2_000 * client_frame(PONG, b""),
    "parts of no end": client_frame(TEXT, b"{", fin=False) + 2_000 * client_frame(0, b"", fin=False),
    "large frames": 20 * client_frame(TEXT, b"x" * 8_000),
}
ADDRESS: Final = "127.6.8.1"
CONNECTIONS: Final = 60
AT_ONCE: Final = 50
"""Requests that are sent at a time."""


async def send_frames(server: Target, flood: bytes) -> int | None:
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


async def ask(port: int, path: str, answers: list[int], most: int) -> None:
    """Ask for a path, many times at once, until there are enough answers on all connections."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0))
    with suppress(OSError):
        while len(answers) < most:
            writer.write(AT_ONCE * f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            data = await reader.read(65_536)
            if not data:
                break
            answers += [1] * data.count(b"HTTP/1.1 ")
            if writer.transport.get_write_buffer_size():
                await asyncio.sleep(0.01)
    writer.close()


async def _flood(url: str, name: str, most: str = "") -> None:
    if not most:
        codes = await asyncio.gather(*[send_frames(Target(url), FLOODS[name]) for _ in range(SOCKETS)])
        print(json.dumps(codes), flush=True)
        return
    answers: list[int] = []
    port = urlsplit(url).port or 0
    await asyncio.gather(*[ask(port, name, answers, int(most)) for _ in range(CONNECTIONS)])
    print(len(answers), flush=True)


def flooded(url: str, *arguments: str) -> AbstractAsyncContextManager[asyncio.Task[Any]]:
    """Flood a server, at least as long as the block. The task returns what the process prints."""
    return attacking("tests.attacks.flood", url, *arguments)


if __name__ == "__main__":
    asyncio.run(_flood(*sys.argv[1:]))
