"""A batch as one transaction gives what its requests give one by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import DamagedError
from noughts.store.machine_store import Change, Conflict, IndexEntry, Known, Stored
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.transaction import MAX_DAMAGED, Failure, Request, run_transaction
from tests.support.commits import LINE, new_room, next_version
from tests.support.damaged_file import damage, page_count, page_with


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    db = DatabaseFile(tmp_path / "noughts.db").connect()
    yield db
    db.close()


def contents(db: sqlite3.Connection) -> list[str]:
    """Return all rows but the name of the server that opened the file."""
    return [line for line in db.iterdump() if not line.startswith('INSERT INTO "writer"')]


class Game:
    """Random changes of a few rooms: most expect the right version, and some are late, sent again or impossible."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.last: dict[str, Change] = {}
        self.ids: dict[str, IdempotencyKeys] = {}

    def change(self, rate_of_faults: float) -> Change:
        room = f"r{self.random.randrange(6)}"
        last = self.last.get(room)
        if last is None:
            change = new_room(room)
            self.ids[room] = IdempotencyKeys()
        elif self.random.random() < rate_of_faults:
            impossible = next_version(last.version + 1, room, records=((2**70, b"game"),))
            late = Change(room, last.version - 1, last.version, data=b"late")
            return self.random.choice([last, late, impossible])
        else:
            change = self.right_change(room, last.version)
        self.last[room] = change
        if change.closes:
            del self.last[room]
        return change

    def right_change(self, room: str, version: int) -> Change:
        random, player = self.random, self.random.choice(["p_ann", "p_ben"])
        kind = random.randrange(12)
        new_version = version if kind == 0 else version + 1
        id = f"c{random.getrandbits(64)}"
        self.ids[room].add((player, id), new_version)
        change = Change(room, version, new_version, command=(player, id), command_ids=self.ids[room].encoded())
        if kind == 0:
            return replace(change, line=LINE)
        if kind == 1:
            return replace(change, closes=True)
        if kind == 2:
            index = IndexEntry(random.randrange(9), random.choice(["open", "live", None]), "classic", (player,))
            change = replace(change, index_entry=index, records=((version, b"game"),))
        return replace(change, data=random.randbytes(9))


def comparable(answer: Any) -> Any:
    return repr(answer.error) if isinstance(answer, Failure) else answer


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rate_of_faults", [0, 0.1])
def test_batches_equal_one_by_one(tmp_path: Path, seed: int, rate_of_faults: float) -> None:
    game = Game(seed)
    changes = [game.change(rate_of_faults) for _ in range(300)]
    alone = DatabaseFile(tmp_path / "alone.db").connect()
    together = DatabaseFile(tmp_path / "together.db").connect()
    alone.execute("PRAGMA synchronous=OFF")
    answers_alone = [run_transaction(alone, [change])[0] for change in changes]
    answers_together: list[Any] = []
    while changes:
        size = game.random.choice([1, 3, 30])
        batch, changes = changes[:size], changes[size:]
        answers_together += run_transaction(together, batch)
    assert list(map(comparable, answers_together)) == list(map(comparable, answers_alone))
    assert contents(together) == contents(alone)
    kinds = {type(answer) for answer in answers_together}
    assert kinds == ({Stored, Known, Conflict, Failure} if rate_of_faults else {Stored})
    alone.close()
    together.close()


def test_plain_changes_share_one_statement(db: sqlite3.Connection) -> None:
    """And anything else between them keeps its place."""
    run_transaction(db, [new_room(f"r{i}") for i in range(4)])
    statements: list[str] = []
    db.set_trace_callback(statements.append)
    seen: list[Any] = []

    def work(db: sqlite3.Connection) -> None:
        seen.extend(db.execute("SELECT id FROM rooms WHERE version=2 ORDER BY id").fetchall())

    batch: list[Request] = [next_version(2, "r0"), next_version(2, "r1"), work, next_version(2, "r2")]
    assert run_transaction(db, batch) == [Stored(2), Stored(2), None, Stored(2)]
    assert seen == [("r0",), ("r1",)]
    assert sum(statement.startswith("UPDATE") for statement in statements) == 3
    assert not any("SAVEPOINT" in statement for statement in statements)


def test_a_request_that_fails_leaves_nothing(db: sqlite3.Connection) -> None:
    """Neither what it wrote before it failed, nor what the undone first pass of its batch wrote."""

    def work(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO bans VALUES('203.0.113.9')")
        db.execute("INSERT INTO bans VALUES(NULL)")

    before = contents(db)
    (failure,) = run_transaction(db, [work])
    assert isinstance(failure, Failure)
    assert isinstance(failure.error, ValueError)
    assert contents(db) == before
    answers = run_transaction(db, [new_room(), work, next_version(2)])
    assert [type(answer) for answer in answers] == [Stored, Failure, Stored]
    assert db.execute("SELECT count(*) FROM bans").fetchone() == (0,)


def test_a_fault_of_the_file_is_raised(db: sqlite3.Connection) -> None:
    """It says nothing about one request, so the whole batch is unknown."""
    db.execute("DROP TABLE seated")
    with pytest.raises(sqlite3.OperationalError):
        run_transaction(db, [new_room()])


def test_a_fault_of_the_file_in_the_second_pass_is_raised(db: sqlite3.Connection) -> None:
    """The first pass was undone because a request failed. Then the disk fails too."""
    errors = iter([KeyError("a bug"), sqlite3.OperationalError("disk I/O error")])

    def work(db: sqlite3.Connection) -> None:
        raise next(errors)

    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        run_transaction(db, [work])


# --- damage ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file in which the row of room r1 is on a damaged page."""
    path = tmp_path / "damaged.db"
    with closing(DatabaseFile(path).connect()) as db:
        for room in ("r0", "r1", "r2"):  # each fills pages of its own
            run_transaction(db, [new_room(room, data=room.encode() * 1_900)])
    page_count(path)
    damage(path, page_with(path, b"r1r1r1"), "noise", Random(1))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        yield db


def test_a_request_that_meets_damage_fails_alone(damaged: sqlite3.Connection) -> None:
    def read(db: sqlite3.Connection) -> Any:
        return db.execute("SELECT data FROM rooms WHERE id='r1'").fetchone()

    answers = run_transaction(damaged, [next_version(2, "r0"), next_version(2, "r1"), read, next_version(2, "r2")])
    assert [type(answer) for answer in answers] == [Stored, Failure, Failure, Stored]
    assert {type(answer.error) for answer in answers if isinstance(answer, Failure)} == {DamagedError}
    assert damaged.execute("SELECT version FROM rooms WHERE id='r0'").fetchone() == (2,)


class _UnreadableRow:
    """A request that SQLite answers as one that meets a bad sector: the transaction is rolled back."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, db: sqlite3.Connection) -> None:
        self.runs += 1
        db.execute("ROLLBACK")
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
        raise error


def test_a_request_that_meets_a_bad_sector_fails_alone(db: sqlite3.Connection) -> None:
    """What was rolled back with it is carried out again, once."""
    first, second = _UnreadableRow(), _UnreadableRow()
    answers = run_transaction(db, [new_room("r0"), first, new_room("r1"), second, next_version(2, "r0")])
    assert [type(answer) for answer in answers] == [Stored, Failure, Stored, Failure, Stored]
    assert first.runs == 2  # together with the others, and alone
    assert db.execute("SELECT id, version FROM rooms").fetchall() == [("r0", 2), ("r1", 1)]


def test_a_batch_with_much_damage(db: sqlite3.Connection) -> None:
    """Every request that meets damage fails, and no other does. The batch does not begin again for each of them."""
    bad: list[Request] = [_UnreadableRow() for _ in range(2 * MAX_DAMAGED)]
    runs = 0

    def run(db: sqlite3.Connection) -> None:
        nonlocal runs
        runs += 1

    answers = run_transaction(db, [new_room("r0"), run, *bad, next_version(2, "r0")])
    assert [type(answer) for answer in answers] == [Stored, type(None), *[Failure] * len(bad), Stored]
    assert runs == 1 + (MAX_DAMAGED + 1) + 1  # with the whole batch, with the damaged ones left out, and alone
    assert db.execute("SELECT id, version FROM rooms").fetchall() == [("r0", 2)]
