"""The lease of a node: what it sends with each beat, and what it learns from the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from noughts.room.downtime import Downtime
from noughts.store.contract import GAP_MS, MAX_DOWNTIMES, NodeStatus, Pulse
from noughts.store.presence import LEASE_MS
from noughts.store.redis.connection import Word


class Lease:
    """The lease of one node."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._status = ""
        self._downtime_count = ""
        self._downtimes: tuple[Downtime, ...] = ()
        self._joined = False

    def words(self, status: NodeStatus | None = None) -> list[Word]:
        """Return the words of the script ``beat``, with the newest status."""
        if status is not None:
            self._status = json.dumps(status._asdict())
        return [self._node, self._status, LEASE_MS, GAP_MS, self._downtime_count, MAX_DOWNTIMES]

    def renewed(self, answer: Sequence[Any]) -> tuple[Pulse, bool]:
        """Return what the answer says, and whether the node had been given up since it first joined."""
        now, joined, count, downtimes, statuses = answer
        if downtimes is not None:
            self._downtimes = tuple(Downtime(*map(int, span.split())) for span in downtimes)
            self._downtime_count = count.decode()
        given_up = self._joined and bool(joined)
        self._joined = True
        nodes = [_status_from(text) for text in statuses]
        return Pulse(int(now), self._downtimes, tuple(sorted(nodes))), given_up

    def left(self) -> None:
        """Note that this node has given its lease back."""
        self._joined = False


def _status_from(text: bytes) -> NodeStatus:
    """Return the status of a node, which another release may have written."""
    fields = json.loads(text)
    default = NodeStatus("", "", "", 0)
    return default._replace(**{name: fields[name] for name in NodeStatus._fields if name in fields})
