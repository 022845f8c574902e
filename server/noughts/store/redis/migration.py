"""Upgrades the data in Redis to the schema of this program, while no other node runs.

The old data stay under another prefix, where a program of their release can use them: the upgrade of the installation
``noughts`` from schema 1 leaves them as the installation ``noughts/schema1``. An upgrade that fails puts the data back.
After an interruption, the next node that starts puts the old data back and begins again. Meanwhile the stored schema number
is negative, so programs of every release reject the data.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.asyncio.connection import Connection
from redis.exceptions import RedisError, ResponseError

from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.presence import LEASE_MS
from noughts.store.redis.failures import LostError, error_code, reason_of
from noughts.store.redis.primary import PrimaryFinder
from noughts.store.redis.schema import OlderSchemaError, Schema
from noughts.store.redis.scripts import Script, Word, key_prefix

CLAIM_MS: Final = 15_000
"""Milliseconds without a command after which another process may take up the upgrade."""
ANSWER_S: Final = 10.0
RETRY_S: Final = 0.5
CONFIRMED_S: Final = 60.0
"""Seconds for the replicas to take over the upgraded data."""
WAIT_MS: Final = 1_000
KEYS_AT_ONCE: Final = 200
_BOOKKEEPING: Final = frozenset({b"schema", b"migrator"})


def backup_name(name: str, version: int) -> str:
    """Return the name of the installation that keeps the data of a schema. Its keys are in the same slot of a cluster."""
    return f"{name}{'.' if '/' in name else '/'}schema{version}"


class RedisMigration:
    """The upgrade of one installation. ``report`` is called with lines of progress.

    It ends when as many ``replicas`` have the upgraded data as confirm each change.
    """

    def __init__(
        self,
        finder: PrimaryFinder,
        name: str,
        schema: Schema,
        report: Callable[[str], None] = lambda line: None,
        replicas: int = 0,
    ) -> None:
        self.prefix = key_prefix(name)
        self._finder = finder
        self._name = name
        self._schema = schema
        self._report = report
        self._replicas = replicas
        self._script = Script("migrate", self.prefix)
        self._token = secrets.token_hex(8)
        self._connection: Connection | None = None

    async def run(self) -> None:
        """Upgrade the data if they have an older schema.

        Raise :class:`SchemaError` if nodes run or the data cannot be upgraded, :class:`StoreUnavailableError` if Redis
        cannot be reached or another process upgrades the data now.
        """
        try:
            self._connection = await self._finder.connect()
        except LostError as error:
            raise StoreUnavailableError(str(error)) from error
        try:
            stored = int(await self._send("GET", f"{self.prefix}schema") or self._schema.version)
            try:
                self._schema.check(stored)
            except OlderSchemaError:
                await self._upgrade(stored)
        except ResponseError as error:
            if error_code(error) == "MIGRATING":
                raise StoreUnavailableError("another node upgrades the data in Redis now") from error
            raise SchemaError(f"The data in this Redis cannot be upgraded. {reason_of(error)}.") from error
        finally:
            await self._connection.disconnect(nowait=True)

    async def _upgrade(self, stored: int) -> None:
        version = abs(stored)
        steps = self._schema.steps_from(version)
        name = backup_name(self._name, version)
        backup = key_prefix(name)
        await self._check_memory()
        await self._claim(stored, version, f"{backup}schema")
        try:
            if await self.call("GET", f"{backup}schema") is None:
                await self._back_up(version, name)
            else:
                self._report("An upgrade of the data in Redis was interrupted. The old data are put back first.")
                await self._replace(backup, self.prefix)
            for step in steps:
                await step(self)
        except StoreUnavailableError:
            raise
        except Exception as error:
            await self._undo(version, backup)
            # The text of other errors may quote what is stored.
            reason = reason_of(error) if isinstance(error, RedisError) else f"the program raised {type(error).__name__}"
            raise SchemaError(
                f"The data in this Redis cannot be upgraded from schema {version}: {reason}. They are unchanged."
            ) from None
        await self._operate("finish", self._schema.version)
        await self._confirmed()
        self._report(f"The data in Redis are upgraded to schema {self._schema.version}.")

    async def _confirmed(self) -> None:
        """Wait until the replicas have the upgraded data. A failover before that would bring the old data back."""
        end_s = time.monotonic() + CONFIRMED_S
        while self._replicas and (count := await self._send("WAIT", self._replicas, WAIT_MS)) < self._replicas:
            if time.monotonic() > end_s:
                raise StoreUnavailableError(f"{count} of {self._replicas} replicas have the upgraded data")

    async def _check_memory(self) -> None:
        """Raise :class:`SchemaError` if the backup may not fit."""
        answer = await self._send("INFO", "memory")
        fields = dict(line.partition(":")[::2] for line in answer.decode().splitlines() if ":" in line)
        if 0 < int(fields["maxmemory"]) < 2 * int(fields["used_memory"]):
            raise SchemaError(
                "The data in this Redis must be upgraded, and there is no memory for a backup:"
                " set maxmemory to at least twice the memory that is used."
            )

    async def _claim(self, stored: int, version: int, backup_schema: str) -> None:
        """Keep nodes and other processes from the data. A node that was killed counts as running until its lease ends."""
        for _ in range(int(LEASE_MS / 1000 / RETRY_S) + 2):
            answer = await self._operate("claim", stored, -version, backup_schema, LEASE_MS)
            if answer == b"claimed":
                return
            if answer == b"changed":
                raise StoreUnavailableError("another node upgrades the data in Redis now")
            await asyncio.sleep(RETRY_S)
        raise SchemaError(
            f"The data in this Redis have the older schema {version}, and nodes of an older version of Noughts use them:"
            " stop all of these nodes, then start this one again."
        )

    async def _back_up(self, version: int, name: str) -> None:
        self._report(
            f"The data in Redis were written by an older version of Noughts. They are copied to the prefix {name},"
            " then upgraded."
        )
        backup = key_prefix(name)
        await self._replace(self.prefix, backup)
        await self.call("SET", f"{backup}schema", version)

    async def _undo(self, version: int, backup: str) -> None:
        """Put the data back. A backup that was not completed is deleted: the data were not changed."""
        if await self.call("GET", f"{backup}schema") is None:
            await self._delete(backup)
        else:
            await self._replace(backup, self.prefix)
        await self._operate("finish", version)

    async def _replace(self, source: str, target: str) -> None:
        await self._delete(target)
        keys = await self._keys(source, "*")
        for at in range(0, len(keys), KEYS_AT_ONCE):
            await self._operate("copy", len(source), target, *keys[at : at + KEYS_AT_ONCE])

    async def _delete(self, prefix: str) -> None:
        keys = await self._keys(prefix, "*")
        for at in range(0, len(keys), KEYS_AT_ONCE):
            await self._operate("delete", *keys[at : at + KEYS_AT_ONCE])

    # --- commands -----------------------------------------------------------------------------------------------

    async def keys(self, pattern: str) -> Sequence[bytes]:
        """Return the keys whose names after the prefix match a pattern."""
        return await self._keys(self.prefix, pattern)

    async def call(self, *words: Word) -> Any:
        """Carry out a command, unless another process has taken up the upgrade."""
        return await self._operate("call", *words)

    async def carry_out(self, commands: Sequence[Sequence[Word]]) -> Sequence[Any]:
        """Carry out many commands in order. Redis flushes its file once for many of them."""
        answers: list[Any] = []
        for at in range(0, len(commands), KEYS_AT_ONCE):
            batch = [self._operation("call", *words) for words in commands[at : at + KEYS_AT_ONCE]]
            answers += await self._send_all(batch)
        return answers

    async def _keys(self, prefix: str, pattern: str) -> Sequence[bytes]:
        """Return keys without the bookkeeping of the upgrade. SCAN may return a key twice."""
        keys: dict[bytes, None] = {}
        cursor: bytes | str = "0"
        while True:
            cursor, batch = await self._send("SCAN", cursor, "MATCH", f"{prefix}{pattern}", "COUNT", 1_000)
            keys |= dict.fromkeys(key for key in batch if key[len(prefix) :] not in _BOOKKEEPING)
            if cursor == b"0":
                return list(keys)

    async def _operate(self, operation: str, *words: Word) -> Any:
        (answer,) = await self._send_all([self._operation(operation, *words)])
        return answer

    def _operation(self, operation: str, *words: Word) -> Sequence[Word]:
        key = f"{self.prefix}migrator"
        return "EVAL", self._script.text, 1, key, operation, self._token, CLAIM_MS, *words

    async def _send(self, *words: Word) -> Any:
        (answer,) = await self._send_all([words])
        return answer

    async def _send_all(self, commands: Sequence[Sequence[Word]]) -> Sequence[Any]:
        """Send commands at once and return their answers. Raise the first error among these."""
        assert self._connection is not None
        answers: list[Any] = []
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._connection.send_packed_command(self._connection.pack_commands(commands))
                for _ in commands:
                    try:
                        answers.append(await self._connection.read_response(disable_decoding=True))
                    except ResponseError as error:
                        answers.append(error)
        except (RedisError, OSError, TimeoutError) as error:
            raise StoreUnavailableError(f"the upgrade of the data was interrupted: {reason_of(error)}") from error
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers
