"""The store for one process: one SQLite file in the data directory, written by one thread, many changes a commit.

Each request goes into a queue; the thread takes all that wait, runs them in one transaction, commits once (WAL,
``synchronous=FULL``: an fsync of the log), and only then hands out the answers. A commit that fails means *unknown*:
every request of that transaction is told so, the file is closed and opened again, and the next request reads what is
there. One request that cannot be carried out (a value that SQLite cannot hold) fails alone.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from noughts.room.record import SCHEMA
from noughts.store.contract import Change, Line, Listing, StoredPlayer, StoredRoom, StoreUnavailableError
from noughts.store.sqlite_schema import CREATE

T = TypeVar("T")
_Job: TypeAlias = tuple["asyncio.Future[Any]", Callable[[sqlite3.Connection], Any]]
_Result: TypeAlias = tuple["asyncio.Future[Any]", Any, BaseException | None]

MAX_BATCH: Final = 512
"""The most requests in one transaction: a bound on how long the first one waits."""
LINES_KEPT: Final = 100
"""Chat lines that a newcomer is sent."""


class SchemaError(Exception):
    """The data was written by a newer program."""


class SqliteStore:
    """A :class:`~noughts.store.contract.Store` in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.batches = 0
        """Transactions so far, for metrics and the bench."""

    # --- the thread ---------------------------------------------------------------------------------------------

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            connection = await asyncio.to_thread(self._connect)
        except (sqlite3.Error, OSError) as wrong:
            raise StoreUnavailableError(f"{self._path} cannot be used: {wrong}") from wrong
        self._thread = threading.Thread(target=self._run, args=(connection,), name="store", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            await asyncio.to_thread(thread.join, 5.0)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=5.0)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            known = connection.execute("PRAGMA user_version").fetchone()[0]
            if known > SCHEMA:
                raise SchemaError(f"{self._path} was written by a newer version of Noughts: upgrade to open it.")
            # Written each time: what a failed commit left in the log can be read but may not be on the disk. This commit
            # flushes it too, and until one succeeds nothing is answered from it.
            connection.execute("BEGIN IMMEDIATE")
            for statement in CREATE:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={SCHEMA}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _run(self, connection: sqlite3.Connection | None) -> None:
        stopping = False
        while not stopping:
            first = self._jobs.get()
            if first is None:
                break
            batch = [first]
            while len(batch) < MAX_BATCH:
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if job is None:
                    stopping = True
                    break
                batch.append(job)
            connection = self._transact(connection, batch)
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _transact(self, connection: sqlite3.Connection | None, batch: list[_Job]) -> sqlite3.Connection | None:
        """Run a batch in one transaction and hand out its results; the connection to go on with, None to open anew."""
        bad: list[_Result] = []
        try:
            if connection is None:
                connection = self._connect()
            results = None
            while results is None:
                results = _attempt(connection, batch, bad)
            self.batches += 1
        except Exception as wrong:
            fault = StoreUnavailableError(f"the store failed: {wrong}")
            self._hand_out([(future, None, fault) for future, _ in batch] + bad)
            if connection is not None:
                with suppress(sqlite3.Error):
                    connection.close()  # rolls back what was not committed
            return None
        self._hand_out(results + bad)
        return connection

    def _hand_out(self, results: list[_Result]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is gone: so is everybody who asked
                self._loop.call_soon_threadsafe(_deliver, results)

    def _ask(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        loop = self._loop
        if loop is None or self._thread is None:
            raise StoreUnavailableError("the store is not open")
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((future, work))
        return future

    # --- rooms --------------------------------------------------------------------------------------------------

    async def ping(self) -> None:
        # A row deleted and written again: an update to what is there already is left out by SQLite, disk or no disk.
        await self._ask(lambda db: db.execute("REPLACE INTO alive SELECT one, at_ms FROM alive"))

    async def commit(self, change: Change) -> bool:
        return await self._ask(lambda db: _commit(db, change))

    async def load(self, room: str) -> StoredRoom | None:
        return await self._ask(lambda db: _load(db, room))

    async def delete(self, room: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            for table in ("rooms", "seated", "games", "answered", "lines"):
                key = "id" if table == "rooms" else "room"
                db.execute(f"DELETE FROM {table} WHERE {key}=?", (room,))

        await self._ask(work)

    async def game(self, room: str, number: int) -> bytes | None:
        sql = "SELECT data FROM games WHERE room=? AND number=?"
        row = await self._ask(lambda db: db.execute(sql, (room, number)).fetchone())
        return None if row is None else row[0]

    async def wakes(self) -> Sequence[tuple[str, int]]:
        sql = "SELECT id, wake_at_ms FROM rooms WHERE wake_at_ms IS NOT NULL"
        return await self._ask(lambda db: db.execute(sql).fetchall())

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[str]:
        sql = "SELECT id FROM rooms WHERE listing=? AND (? IS NULL OR variant=?) ORDER BY rowid DESC LIMIT ?"
        rows = await self._ask(lambda db: db.execute(sql, (listing, variant, variant, limit)).fetchall())
        return [row[0] for row in rows]

    async def rooms_of(self, player: str) -> Sequence[str]:
        rows = await self._ask(lambda db: db.execute("SELECT room FROM seated WHERE player=?", (player,)).fetchall())
        return [row[0] for row in rows]

    async def count(self) -> tuple[int, int]:
        sql = "SELECT (SELECT count(*) FROM players), (SELECT count(*) FROM rooms)"
        row = await self._ask(lambda db: db.execute(sql).fetchone())
        return row[0], row[1]

    async def all_rooms(self) -> Sequence[str]:
        rows = await self._ask(lambda db: db.execute("SELECT id FROM rooms ORDER BY rowid DESC").fetchall())
        return [row[0] for row in rows]

    # --- players ------------------------------------------------------------------------------------------------

    async def add_player(self, player: StoredPlayer, token_hash: bytes) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO players(id, name, seen_ms) VALUES(?,?,?)", player)
            db.execute("INSERT INTO tokens(hash, player) VALUES(?,?)", (token_hash, player.id))

        await self._ask(work)

    async def player(self, player: str) -> StoredPlayer | None:
        sql = "SELECT id, name, seen_ms FROM players WHERE id=?"
        row = await self._ask(lambda db: db.execute(sql, (player,)).fetchone())
        return None if row is None else StoredPlayer(*row)

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        sql = "SELECT id, name, seen_ms FROM tokens JOIN players ON players.id=tokens.player WHERE hash=?"
        row = await self._ask(lambda db: db.execute(sql, (token_hash,)).fetchone())
        return None if row is None else StoredPlayer(*row)

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        wanted = list(dict.fromkeys(players))

        def work(db: sqlite3.Connection) -> dict[str, str]:
            found = {}
            for player in wanted:
                row = db.execute("SELECT name FROM players WHERE id=?", (player,)).fetchone()
                if row is not None:
                    found[player] = row[0]
            return found

        return await self._ask(work)

    async def rename(self, player: str, name: str) -> None:
        await self._ask(lambda db: db.execute("UPDATE players SET name=? WHERE id=?", (name, player)))

    async def seen(self, player: str, now_ms: int) -> None:
        await self._ask(lambda db: db.execute("UPDATE players SET seen_ms=? WHERE id=?", (now_ms, player)))

    async def delete_player(self, player: str) -> None:
        await self._ask(lambda db: _delete_player(db, player))

    async def forget_unseen(self, before_ms: int) -> int:
        def work(db: sqlite3.Connection) -> int:
            gone = db.execute("SELECT id FROM players WHERE seen_ms<?", (before_ms,)).fetchall()
            for (player,) in gone:
                _delete_player(db, player)
            return len(gone)

        return await self._ask(work)

    async def add_token(self, player: str, token_hash: bytes) -> None:
        await self._ask(lambda db: db.execute("INSERT INTO tokens(hash, player) VALUES(?,?)", (token_hash, player)))

    async def add_resume_code(self, code_hash: bytes, player: str, expires_ms: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM resume_codes WHERE player=?", (player,))
            db.execute("INSERT OR REPLACE INTO resume_codes VALUES(?,?,?)", (code_hash, player, expires_ms))

        await self._ask(work)

    async def take_resume_code(self, code_hash: bytes, now_ms: int) -> str | None:
        def work(db: sqlite3.Connection) -> str | None:
            db.execute("DELETE FROM resume_codes WHERE expires_ms<=?", (now_ms,))
            row = db.execute("DELETE FROM resume_codes WHERE hash=? RETURNING player", (code_hash,)).fetchone()
            return None if row is None else str(row[0])

        return await self._ask(work)

    # --- the server ---------------------------------------------------------------------------------------------

    async def alive(self, now_ms: int) -> None:
        await self._ask(lambda db: db.execute("INSERT OR REPLACE INTO alive(one, at_ms) VALUES(1,?)", (now_ms,)))

    async def last_alive_ms(self) -> int | None:
        row = await self._ask(lambda db: db.execute("SELECT at_ms FROM alive WHERE one=1").fetchone())
        return None if row is None else row[0]

    async def ban(self, address: str) -> None:
        await self._ask(lambda db: db.execute("INSERT OR IGNORE INTO bans(address) VALUES(?)", (address,)))

    async def unban(self, address: str) -> None:
        await self._ask(lambda db: db.execute("DELETE FROM bans WHERE address=?", (address,)))

    async def banned(self) -> Sequence[str]:
        rows = await self._ask(lambda db: db.execute("SELECT address FROM bans ORDER BY address").fetchall())
        return [row[0] for row in rows]


def _attempt(connection: sqlite3.Connection, batch: list[_Job], bad: list[_Result]) -> list[_Result] | None:
    """Run a batch in one transaction. When a request of it cannot be carried out: move that one from the batch to ``bad``,
    and leave everything undone (None)."""
    connection.execute("BEGIN IMMEDIATE")
    results: list[_Result] = []
    for job in batch:
        future, work = job
        try:
            results.append((future, work(connection), None))
        except Exception as wrong:
            if isinstance(wrong, sqlite3.OperationalError) or type(wrong) is sqlite3.DatabaseError:
                raise  # the disk's fault or a damaged file, not the request's
            connection.execute("ROLLBACK")
            batch.remove(job)
            bad.append((future, None, wrong))
            return None
    connection.execute("COMMIT")
    return results


def _deliver(results: list[_Result]) -> None:
    for future, result, fault in results:
        if future.done():
            continue  # whoever asked has gone
        if fault is None:
            future.set_result(result)
        else:
            future.set_exception(fault)


def _commit(db: sqlite3.Connection, change: Change) -> bool:
    room = change.room
    if change.data is not None:
        if change.line is not None:
            raise ValueError("a chat line is a change of its own")
        if not _write_room(db, change, change.data):
            return False
    elif db.execute("SELECT 1 FROM rooms WHERE id=?", (room,)).fetchone() is None:
        return False
    line = change.line
    if line is not None:
        try:
            db.execute("INSERT INTO lines VALUES(?,?,?,?,?,?,?)", (room, *line))
        except sqlite3.IntegrityError:
            return False
    if change.found is not None:
        known = {row[0] for row in db.execute("SELECT player FROM seated WHERE room=?", (room,))}
        players = set(change.found.players)
        for player in players - known:
            db.execute("INSERT INTO seated VALUES(?,?)", (player, room))
        for player in known - players:
            db.execute("DELETE FROM seated WHERE player=? AND room=?", (player, room))
    if change.answered is not None:
        db.execute(
            "INSERT OR REPLACE INTO answered(room, player, id, version) VALUES(?,?,?,?)",
            (room, *change.answered, change.version),
        )
    for player, command in change.forget:
        db.execute("DELETE FROM answered WHERE room=? AND player=? AND id=?", (room, player, command))
    if change.game is not None:
        db.execute("INSERT OR REPLACE INTO games VALUES(?,?,?)", (room, *change.game))
    return True


def _write_room(db: sqlite3.Connection, change: Change, data: bytes) -> bool:
    found = change.found
    if change.expected == 0:
        if found is None:
            raise ValueError("a new room needs what it is found by")
        row = (change.room, change.version, data, found.wake_at_ms, found.listing, found.variant)
        return db.execute("INSERT OR IGNORE INTO rooms VALUES(?,?,?,?,?,?)", row).rowcount == 1
    # Naming an indexed column in an update costs a write to its index, changed or not: so only when it is given.
    if found is None:
        sql = "UPDATE rooms SET version=?, data=? WHERE id=? AND version=?"
        return db.execute(sql, (change.version, data, change.room, change.expected)).rowcount == 1
    sql = "UPDATE rooms SET version=?, data=?, wake_at_ms=?, listing=?, variant=? WHERE id=? AND version=?"
    found_by = (found.wake_at_ms, found.listing, found.variant)
    return db.execute(sql, (change.version, data, *found_by, change.room, change.expected)).rowcount == 1


def _load(db: sqlite3.Connection, room: str) -> StoredRoom | None:
    row = db.execute("SELECT data FROM rooms WHERE id=?", (room,)).fetchone()
    if row is None:
        return None
    answered = db.execute("SELECT player, id, version FROM answered WHERE room=? ORDER BY rowid", (room,)).fetchall()
    sql = "SELECT n, at_ms, player, mark, text, ply FROM lines WHERE room=? ORDER BY n DESC LIMIT ?"
    lines = db.execute(sql, (room, LINES_KEPT)).fetchall()
    return StoredRoom(row[0], tuple(answered), tuple(Line(*line) for line in reversed(lines)))


def _delete_player(db: sqlite3.Connection, player: str) -> None:
    db.execute("DELETE FROM players WHERE id=?", (player,))
    db.execute("DELETE FROM tokens WHERE player=?", (player,))
    db.execute("DELETE FROM resume_codes WHERE player=?", (player,))
