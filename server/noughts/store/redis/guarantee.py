"""What a Redis guarantees for an acknowledged change, by its own report."""

from __future__ import annotations

from typing import Final, NamedTuple

from noughts.store.contract import Guarantee

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


def guarantee_of(facts: ServerFacts, waited_for: int) -> Guarantee:
    """Return the guarantee. ``waited_for`` is the number of replicas that this node waits for."""
    if facts.append_only:
        file = f"append-only file, fsync {facts.fsync or 'unknown'}"
    else:
        file = "no append-only file"
    text = (
        f"{facts.product} {facts.version}: {file}; replicas {facts.replicas} (waits for {waited_for});"
        f" eviction {facts.eviction}"
    )
    return Guarantee(text, _weakness(facts, waited_for))


def _weakness(facts: ServerFacts, waited_for: int) -> str | None:
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
    if facts.replicas and not waited_for:
        return (
            "This Redis has replicas but nodes do not wait for them, so a failover may lose the last moves:"
            " set --store-replicas."
        )
    return None
