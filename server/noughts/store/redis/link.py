"""The link of one node to Redis: its connection, what prepares each new one, its lease and its inbox."""

from __future__ import annotations

from collections.abc import Callable

from noughts.store.address import RedisAddress
from noughts.store.redis.connection import RedisConnection
from noughts.store.redis.greeter import Greeter
from noughts.store.redis.inbox import Inbox
from noughts.store.redis.lease import Lease
from noughts.store.redis.migration import RedisMigration
from noughts.store.redis.primary import PrimaryFinder
from noughts.store.redis.replica_gate import AnswerReceiver
from noughts.store.redis.schema import SCHEMA, Schema
from noughts.store.redis.scripts import Script, Word, hash_tag, key_prefix


class RedisLink:
    """What all parts of one node's store share."""

    def __init__(
        self,
        address: RedisAddress,
        node: str,
        prefix: str = "noughts",
        replicas: int = 0,
        schema: Schema = SCHEMA,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Prepare a link. ``node`` is the id of this process, without spaces. Raise ValueError for an invalid prefix.

        ``report`` is called with lines about the upgrade of older data.
        """
        self.node = node
        self.prefix = key_prefix(prefix)
        self.inbox = Inbox(node)
        self.lease = Lease(node, schema.version)
        self._scripts: dict[str, Script] = {}
        self.greeter = Greeter(node, self.prefix, self.inbox, self.lease, self._scripts, replicas, schema)
        finder = PrimaryFinder(address, hash_tag(prefix), f"noughts-{node}")
        self.migration = RedisMigration(finder, prefix, schema, report, replicas)
        self.connection = RedisConnection(finder, self.greeter, self.inbox, replicas, f"{self.prefix}barrier")

    def script(self, name: str) -> Script:
        """Return a script for this link's prefix. Redis is given its text with each new connection."""
        return self._scripts.setdefault(name, Script(name, self.prefix))

    def room_key(self, room: str) -> str:
        return f"{self.prefix}room:{room}"

    def run(self, answered: AnswerReceiver, script: Script, room: str, *words: Word) -> None:
        """Run a script about a room."""
        self.connection.run(answered, script, self.room_key(room), *words)
