"""What a node does on a new connection before anything else is sent on it: which Redis is it, and which data has it?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from noughts.store.contract import Guarantee, SchemaError
from noughts.store.redis.change_feed import ChangeFeed
from noughts.store.redis.client import ask, subscribe
from noughts.store.redis.failures import LostError, lacking
from noughts.store.redis.lease import INCOMPLETE, SCHEMA_VERSION, Lease
from noughts.store.redis.rights import CALLS
from noughts.store.redis.scripts import Script

MINIMUM_VERSION: Final = (6, 2)


class ServerFacts(NamedTuple):
    """What Redis says of itself. ``fsync`` is None where the user may not read the configuration."""

    product: str
    version: str
    append_only: bool
    fsync: str | None
    replicas: int
    eviction: str

    @property
    def is_old(self) -> bool:
        """Whether this Redis is older than the oldest that is supported."""
        numbers = tuple(int(part) if part.isdecimal() else 0 for part in self.version.split(".")[:2])
        return self.product == "Redis" and numbers < MINIMUM_VERSION

    @property
    def evicts_rooms(self) -> bool:
        """Whether this Redis may delete rooms when its memory is full."""
        return self.eviction.startswith("allkeys-")


class Handshake:
    """Prepares a new connection: checks the server, subscribes to this node's channels, and takes the lease."""

    def __init__(
        self,
        node: str,
        prefix: str,
        changes: ChangeFeed,
        lease: Lease,
        scripts: Mapping[str, Script],
    ) -> None:
        self._node = node
        self._prefix = prefix
        self._changes = changes
        self._lease = lease
        self._scripts = scripts
        self._beat = Script("beat", prefix)
        self._rights = Script("rights", prefix)
        self._was_set_up = False
        self.guarantee = Guarantee("not connected yet")
        self.rejection: SchemaError | None = None
        """Why this program must not use this Redis. It is None while there is no such reason."""

    async def run(self, connection: AbstractConnection) -> None:
        self.rejection = None
        try:
            facts = await self._facts(connection)
            self._check(facts)
            await self._check_rights(connection)
            await self._check_schema(connection)
        except SchemaError as error:
            self.rejection = error
            raise LostError(str(error)) from None
        for script in self._scripts.values():
            await ask(connection, "SCRIPT", "LOAD", script.text)
        # Messages before the beat are dropped: the node reads everything again after it.
        await subscribe(connection, f"{self._prefix}in:{self._node}", f"{self._prefix}all")
        answer = await ask(connection, "EVAL", self._beat.text, 1, f"{self._prefix}nodes", *self._lease.words())
        self.guarantee = guarantee_of(facts)
        self._lease.renewed(answer)
        if self._was_set_up:
            self._changes.reconnected()
        self._was_set_up = True

    async def _facts(self, connection: AbstractConnection) -> ServerFacts:
        info = await ask(connection, "INFO")
        try:
            setting = await ask(connection, "CONFIG", "GET", "appendfsync")
        except ResponseError:  # many operators forbid CONFIG
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

    async def _check_rights(self, connection: AbstractConnection) -> None:
        """Raise :class:`LostError` with the commands that this node needs and its user may not run."""
        await ask(connection, "SCRIPT", "LOAD", self._rights.text)
        calls = (" ".join((command, *words)) for command, words in CALLS.items())
        missing = await ask(connection, "EVALSHA", self._rights.sha, 1, f"{self._prefix}rights", *calls)
        if missing:
            raise LostError(lacking(name.decode().lower() for name in missing))

    async def _check_schema(self, connection: AbstractConnection) -> None:
        key = f"{self._prefix}schema"
        stored = await ask(connection, "GET", key)
        if stored is None:
            await ask(connection, "SET", key, self._lease.schema, "NX")
            stored = await ask(connection, "GET", key)
        check_schema(int(stored), self._lease.schema)


def check_schema(stored: int, schema: int = SCHEMA_VERSION) -> None:
    """Raise :class:`SchemaError` for data of another schema."""
    if stored == schema:
        return
    if stored == INCOMPLETE:
        raise SchemaError(
            "A copy to this Redis runs, or was interrupted: run `noughts restore` or `noughts copy` again."
        )
    if stored > SCHEMA_VERSION:
        raise SchemaError("The data in this Redis were written by a newer version of Noughts. Upgrade Noughts.")
    if stored < SCHEMA_VERSION:
        raise SchemaError(
            f"The data in this Redis were written before the first release of Noughts, in schema {stored}, which no release"
            " reads. Choose another database or --store-prefix to begin without data. To read the old data, use the version"
            " that wrote them."
        )


def facts_from(info: str, fsync: str | None) -> ServerFacts:
    """Return the facts in the answer to INFO and CONFIG GET."""
    fields = dict(line.partition(":")[::2] for line in info.splitlines() if ":" in line)
    valkey = fields.get("valkey_version")
    return ServerFacts(
        "Valkey" if valkey else "Redis",
        valkey or fields.get("redis_version", "0"),
        fields.get("aof_enabled") == "1",
        fsync,
        int(fields.get("connected_slaves", 0)),
        fields.get("maxmemory_policy", "noeviction"),
    )


def guarantee_of(facts: ServerFacts) -> Guarantee:
    """Return what an acknowledged change is worth in a Redis."""
    if facts.append_only:
        file = f"append-only file, fsync {facts.fsync or 'unknown'}"
    else:
        file = "no append-only file"
    text = f"{facts.product} {facts.version}: {file}; replicas {facts.replicas}; eviction {facts.eviction}"
    return Guarantee(text, _weakness(facts))


def _weakness(facts: ServerFacts) -> str | None:
    if not facts.append_only:
        return (
            "This Redis keeps no append-only file, so a crash loses every move since its last snapshot:"
            " set `appendonly yes` and `appendfsync always`."
        )
    if facts.fsync is None:
        return (
            "This Redis does not show its fsync policy, so a crash may lose the last seconds of moves:"
            " allow the user `CONFIG GET`, or check that `appendfsync` is `always`."
        )
    if facts.fsync != "always":
        return (
            f"This Redis flushes its file by the policy `{facts.fsync}`, so a crash may lose the last seconds of moves:"
            " set `appendfsync always`."
        )
    if facts.replicas:
        return "This Redis has replicas, which may lack the last moves, so a failover may lose these."
    return None
