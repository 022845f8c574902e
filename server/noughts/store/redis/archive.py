"""A Redis as an archive. The schema number 0 stands for a copy that is not complete: every node refuses it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from redis.asyncio.connection import AbstractConnection, parse_url
from redis.exceptions import RedisError

from noughts.room.downtime import Downtime
from noughts.room.idempotency import IdempotencyKeys
from noughts.store.address import RedisAddress
from noughts.store.archive import ArchivedPlayer, ArchivedRest, ArchivedValue
from noughts.store.contract import SchemaError, StoredPlayer, StoreUnavailableError
from noughts.store.kinds import KINDS, Kind
from noughts.store.machine_store import IndexEntry
from noughts.store.presence import LEASE_MS
from noughts.store.redis.client import ask, connect
from noughts.store.redis.encoding import index_words, line_bytes, row_from_answer
from noughts.store.redis.failures import LostError, reason_of
from noughts.store.redis.lease import INCOMPLETE, SCHEMA_VERSION
from noughts.store.redis.players import subscription_words, subscriptions_from, tokens_from
from noughts.store.redis.scripts import Script, Word, key_prefix, kind_prefix

ATTEMPTS: Final = 5
"""Attempts to connect. Each waits up to a second for a server that is slow to answer."""
_KEYS_AT_ONCE: Final = 500


class RedisArchive:
    """An :class:`~noughts.store.archive.Archive` in Redis. It uses a connection of its own and is no node."""

    def __init__(self, address: RedisAddress, prefix: str = "noughts", kinds: Sequence[Kind] = KINDS) -> None:
        self.kinds = kinds
        self._address = address
        self._prefix = key_prefix(prefix)
        self._players = Script("players", self._prefix)
        self._reads = {kind.name: Script("read_archive", self._prefix, kind.name) for kind in kinds}
        self._writes = {kind.name: Script("write_archive", self._prefix, kind.name) for kind in kinds}
        self._connection: AbstractConnection | None = None

    async def open(self) -> None:
        """Connect to the primary. Raise :class:`SchemaError` for data of another schema."""
        await self.close()
        self._connection = await self._connected()
        schema = await self._call("GET", self._key("schema"))
        if schema is not None and int(schema) not in (INCOMPLETE, SCHEMA_VERSION):
            raise SchemaError(f"{self._address} has schema {int(schema)}, not {SCHEMA_VERSION}: use the same release.")

    async def _connected(self) -> AbstractConnection:
        for _ in range(ATTEMPTS - 1):
            with suppress(LostError):
                return await connect(self._address, "noughts-copy")
        try:
            return await connect(self._address, "noughts-copy")
        except LostError as error:
            raise StoreUnavailableError(f"Redis cannot be reached: {error}") from error

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)
            self._connection = None

    async def identity(self) -> str:
        """Return the id of the primary's process, the number of the database and the prefix."""
        info = await self._call("INFO", "server")
        text = info.decode() if isinstance(info, bytes) else str(info)
        (run,) = [line for line in text.splitlines() if line.startswith("run_id:")]
        return f"{run} {parse_url(self._address.url).get('db', 0)} {self._prefix}"

    async def is_used(self) -> bool:
        seconds, microseconds = map(int, await self._call("TIME"))
        beats = await self._call("HVALS", self._key("nodes"))
        return any(int(beat) > seconds * 1_000 + microseconds // 1_000 - LEASE_MS for beat in beats)

    async def is_empty(self) -> bool:
        schema = await self._call("GET", self._key("schema"))
        if schema is not None and int(schema) == INCOMPLETE:
            return True
        lists = [*(kind_prefix(self._prefix, kind.name) + "created" for kind in self.kinds), self._key("seen")]
        return not any([await self._call("ZCARD", name) for name in lists])

    async def begin(self) -> None:
        await self._call("SET", self._key("schema"), INCOMPLETE)
        cursor = "0"
        while True:
            answer, keys = await self._call("SCAN", cursor, "MATCH", f"{self._prefix}*", "COUNT", _KEYS_AT_ONCE)
            old = [key for key in keys if key != self._key("schema").encode()]
            if old:
                await self._call("DEL", *old)
            cursor = answer.decode()
            if cursor == "0":
                return

    async def complete(self) -> None:
        await self._call("SET", self._key("schema"), SCHEMA_VERSION)

    def _key(self, name: str) -> str:
        return self._prefix + name

    async def _call(self, *words: Word) -> Any:
        if self._connection is None:
            raise StoreUnavailableError(f"{self._address} is not connected")
        try:
            return await ask(self._connection, *words, seconds=None)
        except (RedisError, LostError, OSError) as error:
            raise StoreUnavailableError(f"{self._address}: {reason_of(error)}") from error

    async def _run(self, script: Script, *words: Word) -> Any:
        return await self._call("EVAL", script.text, 1, self._key("seen"), *words)

    # --- values ---------------------------------------------------------------------------------------------------------

    async def ids(self, kind: str) -> Sequence[str]:
        return [id.decode() for id in await self._call("ZRANGE", f"{kind_prefix(self._prefix, kind)}created", 0, -1)]

    async def value(self, kind: str, id: str) -> ArchivedValue | None:
        answer = await self._run(self._reads[kind], id)
        if answer is None:
            return None
        stored, listing, variant, players, runs, wake, records = answer
        entry = IndexEntry(
            int(float(wake)),
            listing.decode() or None,
            variant.decode(),
            tuple(players.decode().split()),
            runs == b"1",
        )
        numbered = sorted((int(number), data) for number, data in zip(records[::2], records[1::2], strict=True))
        return ArchivedValue(kind, id, row_from_answer(stored), entry, tuple(numbered))

    async def put_value(self, value: ArchivedValue) -> None:
        kind, id, stored, entry, records = value
        versions = IdempotencyKeys.decoded(stored.command_ids).versions()
        ids: list[Word] = []
        for player, player_ids in versions.items():
            for command, version in player_ids.items():
                ids += (f"{player}\0{command}", version)
        count = stored.lines[-1].n if stored.lines else 0
        index = index_words(entry)
        lines = [line_bytes(line) for line in stored.lines]
        numbered = [word for record in records for word in record]
        row = (id, stored.version, stored.data, count, *index)
        await self._run(self._writes[kind], *row, len(ids), *ids, len(lines), *lines, *numbered)

    # --- the rest -------------------------------------------------------------------------------------------------------

    async def player_ids(self) -> Sequence[str]:
        return sorted(id.decode() for id in await self._call("ZRANGE", self._key("seen"), 0, -1))

    async def player(self, id: str) -> ArchivedPlayer | None:
        answer = await self._run(self._players, "read", id)
        if answer is None:
            return None
        _, name, seen_ms, bot = answer
        tokens = tokens_from(await self._run(self._players, "tokens", id))
        code = await self._call("HGET", self._key("code_of"), id)
        ends_ms = None if code is None else await self._call("ZSCORE", self._key("code_ends"), code)
        sign_on = await self._call("HGET", self._key("sign_on_of"), id)
        return ArchivedPlayer(
            StoredPlayer(id, name.decode(), int(float(seen_ms)), bot == b"1"),
            tuple(tokens),
            None if code is None or ends_ms is None else (code, int(float(ends_ms))),
            sign_on,
            tuple(subscriptions_from(await self._run(self._players, "subscriptions", id))),
        )

    async def put_player(self, player: ArchivedPlayer) -> None:
        stored, tokens, code, sign_on, subscriptions = player
        await self._run(self._players, "add", stored.id, stored.name, stored.seen_ms, "", int(stored.bot), 0)
        for token in tokens:
            await self._run(self._players, "add_token", stored.id, *token)
        if code is not None:
            await self._run(self._players, "add_code", code[0], stored.id, code[1])
        if sign_on is not None:
            await self._run(self._players, "set_sign_on", sign_on, stored.id)
        for subscription in subscriptions:
            await self._run(self._players, "subscribe", *subscription_words(subscription))

    async def rest(self) -> ArchivedRest:
        banned = sorted(address.decode() for address in await self._call("SMEMBERS", self._key("bans")))
        spans = await self._call("LRANGE", self._key("downtimes"), 0, -1)
        downtimes = tuple(Downtime(*map(int, span.split())) for span in spans)
        secrets = await self._call("HGETALL", self._key("secrets"))
        named = sorted((name.decode(), secret) for name, secret in secrets.items())
        beat_ms = int(await self._call("GET", self._key("clock")) or 0)
        return ArchivedRest(tuple(banned), downtimes, beat_ms, tuple(named))

    async def put_rest(self, rest: ArchivedRest) -> None:
        if rest.banned:
            await self._call("SADD", self._key("bans"), *rest.banned)
        if rest.downtimes:
            spans = [f"{from_ms} {until_ms}" for from_ms, until_ms in rest.downtimes]
            await self._call("RPUSH", self._key("downtimes"), *spans)
            await self._call("SET", self._key("downtime_count"), len(spans))
        if rest.beat_ms:
            await self._call("SET", self._key("clock"), rest.beat_ms)
        for name, secret in rest.secrets:
            await self._call("HSET", self._key("secrets"), name, secret)
