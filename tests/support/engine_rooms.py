"""Rooms with an engine that makes no pause before it searches."""

from __future__ import annotations

import pytest

from noughts.app.rooms.on_node import RoomOnNode
from noughts.room.clock import ClockSetting
from tests.support.node import Cluster, Node


@pytest.fixture
def prompt(cluster: Cluster) -> Node:
    """A node whose engine makes no pause before it searches."""
    return Node(cluster, engine_pace_ms=0, engines_pace_ms=0)


async def engine_room(node: Node, clock: ClockSetting | None = None, mark: str = "O") -> RoomOnNode:
    """Make a game against the engine, which is to move unless the mark is X."""
    return await node.room(clock, opponent="engine", engines=("perfect",), mark=mark)
