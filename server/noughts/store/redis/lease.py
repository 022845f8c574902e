"""The lease of a node: what it sends with each beat, and what it learns from the answer."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from typing import Final

from noughts.room.downtime import Downtime
from noughts.store.contract import GAP_MS, MAX_DOWNTIMES, NodeStatus, Pulse
from noughts.store.presence import LEASE_MS
from noughts.store.redis.client import Answer
from noughts.store.redis.scripts import Word

SCHEMA_VERSION: Final = 2
"""The version of the keys and the bytes in them. It rises with each change that an older program could not read."""
INCOMPLETE: Final = 0
"""The stored number while a copy is being written."""


class Lease:
    """The lease of one node."""

    def __init__(self, node: str, schema: int = SCHEMA_VERSION) -> None:
        self._node = node
        self.schema = schema
        self._status = ""
        self._downtime_count = ""
        self._downtimes: tuple[Downtime, ...] = ()
        self._joined = False
        self._players: frozenset[str] | None = None
        """The players of this node that Redis has, None if that is not known."""
        self._sent_players: frozenset[str] | None = None

    def words(self, status: NodeStatus | None = None, players: Set[str] | None = None) -> list[Word]:
        """Return the words of the script ``beat``, with the newest status, and with the changes of this node's players."""
        if status is not None:
            self._status = json.dumps(status._asdict())
        before, self._players = self._players, None
        self._sent_players = None if players is None else frozenset(players)
        words: list[Word] = [self._node, self._status, LEASE_MS, GAP_MS, self._downtime_count, MAX_DOWNTIMES]
        if players is None:
            return [*words, self.schema, "", 0]
        if before is None:
            return [*words, self.schema, "all", len(players), *players]
        arrived = players - before
        return [*words, self.schema, "", len(arrived), *arrived, *(before - players)]

    def renewed(self, answer: Sequence[Answer]) -> tuple[Pulse, bool]:
        """Return what the answer says, and whether the node had been given up since it first joined."""
        now, joined, count, downtimes, statuses, players = answer
        if downtimes is not None:
            self._downtimes = tuple(Downtime(*map(int, span.split())) for span in downtimes)
            self._downtime_count = count.decode()
        given_up = self._joined and bool(joined)
        self._joined = True
        # A node that had no lease had no players either, and may have sent only the changes.
        self._players = None if joined else self._sent_players
        nodes = [_status_from(text) for text in statuses]
        return Pulse(int(now), self._downtimes, tuple(sorted(nodes)), players), given_up

    def left(self) -> None:
        """Note that this node has given its lease back."""
        self._joined = False


def _status_from(text: bytes) -> NodeStatus:
    """Return the status of a node, which another release may have written."""
    fields = json.loads(text)
    default = NodeStatus("", "", "", 0)
    return default._replace(**{name: fields[name] for name in NodeStatus._fields if name in fields})
