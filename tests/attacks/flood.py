"""Sockets of one player that send as fast as the server reads, in a process of their own.

The process has the lowest priority: it takes no processor time from the server and from the pair that plays. It begins at
once, and its last line is a list of close codes as JSON: one of each socket, null where the server reads no more.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

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
LOWEST_PRIORITY: Final = 19


class Target(NamedTuple):
    """The server that is flooded."""

    url: str

    @property
    def ws_url(self) -> str:
        """Return the address of its WebSocket."""
        return self.url.replace("http", "ws", 1) + "/ws"


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


@asynccontextmanager
async def flooded(url: str, name: str) -> AsyncIterator[asyncio.Task[list[int | None]]]:
    """Flood a server while the block runs. The task returns the close codes."""
    process = await asyncio.create_subprocess_exec(
        "nice",
        f"-n{LOWEST_PRIORITY}",
        sys.executable,
        "-m",
        "tests.attacks.flood",
        url,
        name,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )

    async def codes() -> list[int | None]:
        output, _ = await process.communicate()
        return list(json.loads(output))

    task = asyncio.create_task(codes())
    try:
        yield task
        await task
    finally:
        task.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()


if __name__ == "__main__":
    asyncio.run(_flood(*sys.argv[1:]))
