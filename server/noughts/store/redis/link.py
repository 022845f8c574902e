"""The link of one node to Redis: its connection, what prepares each new one, its lease and its feed of changes."""

from __future__ import annotations

from functools import partial

from noughts.store.address import RedisAddress
from noughts.store.kinds import ROOM
from noughts.store.redis.change_feed import ChangeFeed
from noughts.store.redis.client import connect
from noughts.store.redis.connection import RedisConnection
from noughts.store.redis.handshake import Handshake
from noughts.store.redis.lease import SCHEMA_VERSION, Lease
from noughts.store.redis.scripts import Script, key_prefix


class RedisLink:
    """What all parts of one node's store share."""

    def __init__(self, address: RedisAddress, node: str, prefix: str = "noughts", schema: int = SCHEMA_VERSION) -> None:
        """Prepare a link to data of a schema. ``node`` is the id of this process, without spaces.

        Raise ValueError for an invalid prefix.
        """
        self.node = node
        self.prefix = key_prefix(prefix)
        self.changes = ChangeFeed(node)
        self.lease = Lease(node, schema)
        self._scripts: dict[str, Script] = {}
        self.handshake = Handshake(node, self.prefix, self.changes, self.lease, self._scripts)
        self.connection = RedisConnection(partial(connect, address, f"noughts-{node}"), self.handshake, self.changes)

    def script(self, name: str, kind: str = ROOM) -> Script:
        """Return a script for this link's prefix and one kind. Redis is given its text with each new connection."""
        key = name if kind == ROOM else f"{name} {kind}"
        return self._scripts.setdefault(key, Script(name, self.prefix, kind))
