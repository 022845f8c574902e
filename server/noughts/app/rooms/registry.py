"""The rooms that this node holds, and what other nodes report of their presence."""

from __future__ import annotations

from typing import TypeAlias

from noughts.app.machines.registry import Registry
from noughts.app.rooms.actor import RoomActor
from noughts.store.presence import PresenceMirror, PresenceReport

RoomRegistry: TypeAlias = Registry[RoomActor]


def reported_elsewhere(registry: RoomRegistry, mirror: PresenceMirror, report: PresenceReport) -> None:
    """Take over another node's report of its connections to a room."""
    mirror.received(report)
    actor = registry.held(report.room)
    if actor is not None:
        actor.presence_changed()


def node_died(registry: RoomRegistry, mirror: PresenceMirror, node: str, end_ms: int) -> None:
    """Take over the end of another node."""
    for room_id in mirror.node_died(node, end_ms):
        actor = registry.held(room_id)
        if actor is not None:
            actor.presence_changed()
