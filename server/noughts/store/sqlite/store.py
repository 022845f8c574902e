"""The SQLite store as one object, with the life of the one node that uses the file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence, Set
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from noughts.room.downtime import Downtime
from noughts.store.contract import (
    MAX_DOWNTIMES,
    ConnectionStats,
    Guarantee,
    Life,
    NodeStatus,
    Pulse,
    SlowCommit,
    StoreUnavailableError,
)
from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.copies import new_file, remove_log
from noughts.store.sqlite.database_file import DatabaseFile, no_warning
from noughts.store.sqlite.machines import SqliteMachines
from noughts.store.sqlite.players import SqlitePlayers
from noughts.store.sqlite.restoring import newest_ms
from noughts.store.sqlite.writer import Writer

_GUARANTEE: Final = Guarantee("a file: every acknowledged change is flushed to the disk")


class SqliteStore(SqliteMachines, SqlitePlayers):
    """A :class:`~noughts.store.contract.Store` in one file, for one process."""

    def __init__(self, path: Path, warn: Callable[[str], None] = no_warning, *, kinds: Sequence[Kind] = KINDS) -> None:
        self._file = DatabaseFile(path, warn, kinds)
        self._downtimes: tuple[Downtime, ...] | None = None
        """All downtime, None before the first beat."""
        SqliteMachines.__init__(self, Writer(self._file.connect, self._file.check, self._file.check_writer))

    def machines(self, kind: str) -> SqliteMachines:
        return SqliteMachines(self._writer, kind)

    async def open(self) -> None:
        self._downtimes = None
        await asyncio.to_thread(self._file.lock)
        try:
            await self._writer.open()
        except BaseException:
            self._file.release()
            raise

    async def close(self) -> None:
        await self._writer.close()
        self._file.release()

    async def beat(self, status: NodeStatus, now_ms: int, players: Set[str] = frozenset()) -> Pulse:
        first = self._downtimes is None

        def work(db: sqlite3.Connection) -> tuple[int, tuple[Downtime, ...]]:
            beat_ms = now_ms
            if first:
                row = db.execute("SELECT at_ms FROM alive").fetchone()
                beat_ms = max(now_ms, newest_ms(db, self._file.kinds), 0 if row is None else row[0])
                if row is not None:
                    _add_downtime(db, Downtime(row[0], beat_ms))
            # SQLite does not write an update that changes nothing, so it would not notice a disk that fails.
            db.execute("DELETE FROM alive")
            db.execute("INSERT INTO alive(one, at_ms) VALUES(1,?)", (beat_ms,))
            return beat_ms, _downtimes(db) if first else ()

        beat_ms, downtimes = await self._writer.run(work)
        if self._downtimes is None:
            self._downtimes = downtimes
        return Pulse(beat_ms, self._downtimes, (status,), len(players))

    async def check_writer(self) -> None:
        await self._writer.run(lambda db: None)

    async def add_downtime(self, span: Downtime) -> None:
        def work(db: sqlite3.Connection) -> tuple[Downtime, ...]:
            _add_downtime(db, span)
            return _downtimes(db)

        self._downtimes = await self._writer.run(work)

    async def life(self) -> Life:
        def work(db: sqlite3.Connection) -> Life:
            row = db.execute("SELECT at_ms FROM alive").fetchone()
            secrets = db.execute("SELECT name, secret FROM secrets ORDER BY name").fetchall()
            return Life(_downtimes(db), 0 if row is None else row[0], tuple(secrets))

        return await self._writer.run(work)

    async def put_life(self, life: Life) -> None:
        def work(db: sqlite3.Connection) -> None:
            for table in ("alive", "downtimes", "secrets"):
                db.execute(f"DELETE FROM {table}")
            db.executemany("INSERT INTO downtimes VALUES(?,?)", life.downtimes)
            db.executemany("INSERT INTO secrets VALUES(?,?)", life.secrets)
            if life.beat_ms:
                db.execute("INSERT INTO alive(one, at_ms) VALUES(1,?)", (life.beat_ms,))

        await self._writer.run(work)

    @property
    def slow_commit(self) -> SlowCommit | None:
        return self._writer.slow_commit

    def guarantee(self) -> Guarantee:
        return _GUARANTEE

    def loss_reason(self) -> str | None:
        return self._file.loss_reason()

    @property
    def commits(self) -> int:
        return self._writer.commits

    @property
    def stats(self) -> ConnectionStats:
        return ConnectionStats()


@asynccontextmanager
async def new_store(path: Path, kinds: Sequence[Kind] = KINDS) -> AsyncIterator[SqliteStore]:
    """Yield a store in a new file. At the end of the block, the file takes the place of ``path``.

    Raise ``StoreUnavailableError`` for a file that cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path) as partial:
            partial.unlink()  # the store makes it, with its tables
            remove_log(partial)
            store = SqliteStore(partial, kinds=kinds)
            await store.open()
            try:
                yield store
            finally:
                await store.close()
            remove_log(path)
    except OSError as error:
        raise StoreUnavailableError(f"{path} cannot be written: {error}") from error


def _add_downtime(db: sqlite3.Connection, span: Downtime) -> None:
    if span.until_ms > span.from_ms:
        db.execute("INSERT INTO downtimes VALUES(?,?)", span)
        sql = "DELETE FROM downtimes WHERE rowid NOT IN (SELECT rowid FROM downtimes ORDER BY from_ms DESC LIMIT ?)"
        db.execute(sql, (MAX_DOWNTIMES,))


def _downtimes(db: sqlite3.Connection) -> tuple[Downtime, ...]:
    return tuple([Downtime(*row) for row in db.execute("SELECT from_ms, until_ms FROM downtimes ORDER BY from_ms")])
