"""An attack in a process of its own.

It has the lowest priority, so it takes no processor time from the server and the players.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

LOWEST_PRIORITY: Final = 19


class Target(NamedTuple):
    """The server that is attacked."""

    url: str

    @property
    def ws_url(self) -> str:
        """Return the address of its WebSocket."""
        return self.url.replace("http", "ws", 1) + "/ws"


@asynccontextmanager
async def attacking(module: str, *arguments: str) -> AsyncIterator[asyncio.Task[Any]]:
    """Run a module as an attack, at least as long as the block. The task returns what it prints at its end, as JSON."""
    process = await asyncio.create_subprocess_exec(
        "nice",
        f"-n{LOWEST_PRIORITY}",
        sys.executable,
        "-m",
        module,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )

    async def printed() -> Any:
        output, _ = await process.communicate()
        return json.loads(output)

    task = asyncio.create_task(printed())
    try:
        yield task
        await task
    finally:
        task.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
