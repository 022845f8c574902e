"""Several nodes of one store, each in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.redis_server import RedisServer
from tests.support.server import QUICK, RunningServer
from tests.support.tcp_proxy import TcpProxy

FAKETIME: Final = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


def faked_time(shift: str) -> tuple[str, ...]:
    """Return the command under which a process sees another wall clock, such as ``+1h``. Its monotonic clock stays right."""
    return ("env", f"LD_PRELOAD={FAKETIME}", "FAKETIME_DONT_FAKE_MONOTONIC=1", f"FAKETIME={shift}")


class Nodes(NamedTuple):
    """Two nodes on one Redis. ``two`` reaches it through a proxy."""

    redis: RedisServer
    one: RunningServer
    two: RunningServer
    proxy: TcpProxy

    @property
    def both(self) -> tuple[RunningServer, RunningServer]:
        return self.one, self.two


@asynccontextmanager
async def node_processes(
    directory: Path,
    urls: Sequence[str],
    settings: Mapping[str, str] | None = None,
    prefixes: Mapping[int, Sequence[str]] | None = None,
) -> AsyncIterator[list[RunningServer]]:
    """Start one node for each address of the store, and stop them with the block.

    ``prefixes`` are commands under which the nodes of these numbers run. Fail if a node logged a traceback.
    """
    async with AsyncExitStack() as stack:
        nodes = []
        for number, url in enumerate(urls):
            name = f"node{number}"
            own = {"NOUGHTS_STORE": url, "NOUGHTS_WORKERS": "1", "NOUGHTS_NODE_NAME": name}
            node = RunningServer(directory / name, {**QUICK, **own, **(settings or {})})
            stack.callback(node.kill)
            await asyncio.to_thread(node.start, *(prefixes or {}).get(number, ()))
            nodes.append(node)
        yield nodes
        for node in nodes:
            assert await asyncio.to_thread(node.stop) == 0
            assert "Traceback" not in node.log, node.log
