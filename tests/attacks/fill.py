"""Many addresses that make rooms, as many and as fast as the server lets them, in a process of their own.

Its last line counts the answers by their HTTP status.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections import Counter
from contextlib import AbstractAsyncContextManager
from typing import Final

import aiohttp

from tests.attacks.attacker import attacking
from tests.attacks.bursts import ROOM, Attacker

ADDRESSES: Final = 64
GUESTS_OF_ADDRESS: Final = 8
"""A guest may make 64 rooms at once, and an address 400."""
AT_ONCE: Final = 2
"""Requests of an address that wait for their answer at a time."""


async def _fill(url: str, address: str, count: int) -> Counter[str]:
    connector = aiohttp.TCPConnector(local_addr=(address, 0), limit=AT_ONCE)
    async with aiohttp.ClientSession(connector=connector) as session:
        attacker = Attacker(url, address, session)
        tokens = [await attacker.guest() for _ in range(GUESTS_OF_ADDRESS)]

        async def once(number: int) -> str:
            return str((await attacker.call("POST", "/api/rooms", ROOM, tokens[number % len(tokens)]))[0])

        await attacker.repeat(count, once)
        return attacker.answers


async def _fill_all(url: str, count: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    answers = await asyncio.gather(*[_fill(url, f"127.6.{8 + n}.1", count) for n in range(ADDRESSES)])
    print(json.dumps(sum(answers, Counter())), flush=True)


def filling(url: str, count: int) -> AbstractAsyncContextManager[asyncio.Task[dict[str, int]]]:
    """Let each address ask for this many rooms. The task returns how often each status came."""
    return attacking("tests.attacks.fill", url, str(count))


if __name__ == "__main__":
    asyncio.run(_fill_all(sys.argv[1], int(sys.argv[2])))
