"""Several nodes over one Redis, as subjects of the benchmark."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.bench.child import SERVER_CORE, pin
from tests.bench.measure import cpu_ns
from tests.bench.noughts_server import Noughts, NoughtsRoom
from tests.bench.subject import Subject
from tests.support.redis_server import RedisServer

_COMMANDS: Final = re.compile(rb"^noughts_store_commands_total ([0-9.e+]+)$", re.MULTILINE)


class Cluster:
    """Nodes and the Redis that they share. It flushes its append-only file to the disk for each change."""

    def __init__(self, tree: Path, directory: Path, count: int) -> None:
        self.redis = RedisServer(directory, appendonly="yes", appendfsync="always")
        settings = {"NOUGHTS_STORE": self.redis.url}
        self.nodes = [Noughts(tree, f"node {number}", settings=settings) for number in range(1, count + 1)]

    async def start(self) -> None:
        """Start Redis, then the nodes."""
        self.redis.start()
        pin(self.redis.pid, SERVER_CORE)
        for node in self.nodes:
            await node.start()

    async def stop(self) -> None:
        """Stop the nodes, then Redis."""
        for node in self.nodes:
            await node.stop()
        self.redis.kill()


class NodesSubject(Subject):
    """The nodes of a cluster, which its owner starts and stops.

    The CPU time is that of the nodes together. That of Redis between the same moments is kept beside it. A room is whole
    on one node, or with ``across`` its players are connected to different nodes.
    """

    def __init__(self, name: str, cluster: Cluster, across: bool = False) -> None:
        self.name = name
        self._cluster = cluster
        self._across = across
        self._redis_ns: list[int] = []

    async def open_room(self, number: int) -> NoughtsRoom:
        nodes = self._cluster.nodes
        node = nodes[number % len(nodes)]
        return await node.open_room_with(nodes[(number + 1) % len(nodes)] if self._across else node)

    def cpu_ns(self) -> int:
        self._redis_ns.append(cpu_ns(self._cluster.redis.pid))
        return sum([cpu_ns(node.child.pid) for node in self._cluster.nodes])

    def redis_us(self, moves: int, rounds: int) -> list[float]:
        """Return the µs of Redis for each of ``moves`` in the last rounds, each of which read the time twice."""
        spans = zip(self._redis_ns[::2], self._redis_ns[1::2], strict=True)
        return [(after - before) / moves / 1000 for before, after in spans][-rounds:]


async def commands_a_second(nodes: Sequence[Noughts], seconds: float) -> float:
    """Return the most commands a second that one of these nodes sent to Redis while nothing was asked of it."""
    before = [await _commands(node) for node in nodes]
    await asyncio.sleep(seconds)
    return max([(await _commands(node) - start) / seconds for node, start in zip(nodes, before, strict=True)])


async def _commands(node: Noughts) -> float:
    sample = _COMMANDS.search((await node.get("/metrics"))[0])
    assert sample is not None, "this server does not count the commands that it sends to Redis"
    return float(sample[1])
