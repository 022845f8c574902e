"""Searches for tests of the pool: one that takes as long as it may, and one that takes no time. The processes of workers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from noughts.app.search.pool import SearchPool
from noughts.app.search.search import caller_at
from noughts.engine.verdict import Choice
from noughts.rules.variant import VARIANTS
from tests.support.player import WAIT_S

ANN = caller_at("127.0.0.1", "p_ann")
CLASSIC = VARIANTS["classic"]
ULTIMATE = VARIANTS["ultimate"]


async def endless_move(pool: SearchPool, seconds: float = 2 * WAIT_S) -> Choice:
    """Search for a move until the time is over or the search is cancelled."""
    return await pool.move(ULTIMATE, (40,), "strongest", seconds, 1, ANN)


async def quick_move(pool: SearchPool) -> Choice:
    """Search for a move that takes a worker under a millisecond. Fail if it does not come."""
    async with asyncio.timeout(WAIT_S):
        return await pool.move(CLASSIC, (4,), "perfect", 1.0, 1, ANN)


def is_alive(pid: int) -> bool:
    """Return whether a process runs. A process that has ended may still wait for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def workers_of(server_pid: int) -> list[int]:
    """Return the process ids of a server's search workers."""
    pids = []
    for child in Path(f"/proc/{server_pid}/task/{server_pid}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):  # a child may end meanwhile
            if b"noughts.app.search.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                pids.append(int(child))
    return pids
