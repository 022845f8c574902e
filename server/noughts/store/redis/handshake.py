"""What a node does on a new connection before anything else is sent on it."""

from __future__ import annotations

from collections.abc import Mapping

from hiredis import ReplyError

from noughts.store.contract import Guarantee, SchemaError
from noughts.store.redis.change_feed import ChangeFeed
from noughts.store.redis.failures import LostError, reason_of
from noughts.store.redis.guarantee import MINIMUM_VERSION, ServerFacts, facts_from, guarantee_of
from noughts.store.redis.lease import Lease
from noughts.store.redis.pipeline import RedisPipeline
from noughts.store.redis.schema import check_schema
from noughts.store.redis.scripts import Script


class Handshake:
    """Prepares a new connection: checks the server, subscribes to this node's channels, and takes the lease."""

    def __init__(
        self,
        node: str,
        prefix: str,
        changes: ChangeFeed,
        lease: Lease,
        scripts: Mapping[str, Script],
        replicas: int,
        schema: int,
    ) -> None:
        self._node = node
        self._prefix = prefix
        self._changes = changes
        self._lease = lease
        self._replicas = replicas
        self._scripts = scripts
        self._schema = schema
        self._beat = Script("beat", prefix)
        self._was_set_up = False
        self.guarantee = Guarantee("not connected yet")
        self.rejection: SchemaError | None = None
        """Why this program must not use this Redis. It is None while there is no such reason."""

    async def run(self, pipeline: RedisPipeline) -> None:
        self.rejection = None
        try:
            facts = await self._facts(pipeline)
            self._check(facts)
            await self._check_schema(pipeline)
            for channel in (f"{self._prefix}in:{self._node}", f"{self._prefix}all"):
                await pipeline.prepare("SUBSCRIBE", channel)
            for script in self._scripts.values():
                await pipeline.prepare("SCRIPT", "LOAD", script.text)
            answer = await pipeline.prepare("EVAL", self._beat.text, 1, f"{self._prefix}nodes", *self._lease.words())
        except SchemaError as error:
            self.rejection = error
            raise LostError(str(error)) from None
        except ReplyError as error:
            raise LostError(reason_of(error)) from error
        self.guarantee = guarantee_of(facts, self._replicas)
        self._lease.renewed(answer)
        if self._was_set_up:
            self._changes.reconnected()
        self._was_set_up = True

    async def _facts(self, pipeline: RedisPipeline) -> ServerFacts:
        info = await pipeline.prepare("INFO")
        try:
            setting = await pipeline.prepare("CONFIG", "GET", "appendfsync")
        except ReplyError:  # many operators forbid CONFIG
            setting = None
        text = info.decode() if isinstance(info, bytes) else str(info)
        values = [word.decode() for pair in setting.items() for word in pair] if isinstance(setting, dict) else []
        return facts_from(text, values[1] if values else None)

    def _check(self, facts: ServerFacts) -> None:
        if facts.is_old:
            oldest = ".".join(map(str, MINIMUM_VERSION))
            raise SchemaError(f"This is Redis {facts.version}. Noughts needs {oldest} or newer, or Valkey.")
        if facts.evicts_rooms:
            raise SchemaError(
                f"This {facts.product} deletes rooms when its memory is full (maxmemory-policy {facts.eviction}):"
                " set `maxmemory-policy noeviction`."
            )

    async def _check_schema(self, pipeline: RedisPipeline) -> None:
        key = f"{self._prefix}schema"
        stored = await pipeline.prepare("GET", key)
        if stored is None:
            await pipeline.prepare("SET", key, self._schema, "NX")
            stored = await pipeline.prepare("GET", key)
        check_schema(int(stored), self._schema)
