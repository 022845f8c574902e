"""Connections of one address that ask for what costs no credit as fast as the server answers, in a process of their own.

It ends after some answers, and prints their number.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final
from urllib.parse import urlsplit

from tests.attacks.attacker import attacking

ADDRESS: Final = "127.6.8.1"
CONNECTIONS: Final = 60
AT_ONCE: Final = 50
ANSWER: Final = b"HTTP/1.1 "


async def _ask(port: int, path: str, answers: list[int], most: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0))
    with suppress(OSError):
        while len(answers) < most:
            writer.write(AT_ONCE * f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            data = await reader.read(65_536)
            if not data:
                break
            answers += [1] * data.count(ANSWER)
            if writer.transport.get_write_buffer_size():
                await asyncio.sleep(0.01)
    writer.close()


async def _flood(url: str, path: str, most: str) -> None:
    answers: list[int] = []
    port = urlsplit(url).port
    assert port is not None
    await asyncio.gather(*[_ask(port, path, answers, int(most)) for _ in range(CONNECTIONS)])
    print(len(answers), flush=True)


def asking(url: str, path: str, most: int) -> AbstractAsyncContextManager[asyncio.Task[int]]:
    """Ask for a path until this many answers have come. The task returns their number."""
    return attacking("tests.attacks.request_flood", url, path, str(most))


if __name__ == "__main__":
    asyncio.run(_flood(*sys.argv[1:]))
