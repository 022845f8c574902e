"""One thread for one file: batches, failed commits, and what is answered from where."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

import pytest

from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import Change, CommitAnswer, Unavailable
from noughts.store.sqlite.database_file import DatabaseFile
from noughts.store.sqlite.writer import MAX_BATCH, Writer
from tests.support.brittle import BrittleDisk
from tests.support.commits import Answers, new_room, next_version


@pytest.fixture
def disk(tmp_path: Path) -> BrittleDisk:
    return BrittleDisk(tmp_path / "noughts.db")


@pytest.fixture
async def writer(disk: BrittleDisk) -> AsyncIterator[Writer]:
    writer = Writer(disk.connect)
    await writer.open()
    yield writer
    disk.failing = None
    await writer.close()


async def version(writer: Writer, room: str = "r1") -> int | None:
    row = await writer.row("SELECT version FROM rooms WHERE id=?", (room,))
    return None if row is None else row[0]


async def settled(writer: Writer, *changes: Change) -> list[CommitAnswer]:
    """Submit changes in one turn; return the answers once all have come."""
    receiver = Answers()
    for change in changes:
        writer.submit(change, receiver)
    with suppress(StoreUnavailableError):
        await writer.rows("SELECT 1")
    return receiver.answers


async def test_one_turn_of_the_loop_is_one_commit(writer: Writer) -> None:
    """Coroutines and submitted changes alike."""
    before = writer.commits
    receiver = Answers()

    async def submit(room: str) -> None:
        writer.submit(new_room(room), receiver)

    await asyncio.gather(*[submit(f"r{i}") for i in range(20)], *[writer.rows("SELECT 1") for _ in range(20)])
    assert writer.commits == before + 1
    assert len(receiver.answers) == 20


async def test_a_batch_is_bounded(writer: Writer) -> None:
    before = writer.commits
    await settled(writer, *[new_room(f"r{i}") for i in range(3 * MAX_BATCH)])
    assert writer.commits == before + 4
    assert await writer.row("SELECT count(*) FROM rooms") == (3 * MAX_BATCH,)


async def test_all_answers_of_a_batch_come_in_one_turn(writer: Writer) -> None:
    """So that what the receivers ask for next is one batch again."""
    commits: list[int] = []

    class Next:
        def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
            if change.version < 5:
                writer.submit(next_version(change.version + 1, change.id), self)
            elif change.id == "r19":
                commits.append(writer.commits)

    before = writer.commits
    for i in range(20):
        writer.submit(new_room(f"r{i}"), Next())
    while not commits:
        await writer.rows("SELECT 1")
    assert await version(writer, "r19") == 5
    assert commits[0] - before < 20


@pytest.mark.parametrize(("failing", "stored"), [("before", 1), ("after", 2)])
async def test_a_failed_commit_is_unknown(
    writer: Writer, disk: BrittleDisk, failing: Literal["before", "after"], stored: int
) -> None:
    """Each request of the transaction gets that answer, the file is opened again, and reads show what was stored."""
    await settled(writer, new_room("r1"), new_room("r2"))
    disk.failing = failing
    receiver = Answers()
    writer.submit(next_version(2, "r1"), receiver)
    writer.submit(next_version(2, "r2"), receiver)
    with pytest.raises(StoreUnavailableError, match="disk I/O error"):
        await writer.execute("DELETE FROM bans")
    assert receiver.answers == [Unavailable("the store failed: disk I/O error")] * 2
    disk.failing = None
    assert (await version(writer, "r1"), await version(writer, "r2")) == (stored, stored)
    assert disk.connects == 2


async def test_after_a_failure_a_commit_comes_before_any_answer(writer: Writer, disk: BrittleDisk) -> None:
    """What a failed commit left in the log can be read, but may not be on the disk."""
    await settled(writer, new_room())
    disk.failing = "after"
    assert isinstance((await settled(writer, next_version(2)))[0], Unavailable)
    with pytest.raises(StoreUnavailableError):
        await version(writer)
    disk.failing = None
    assert await version(writer) == 2


async def test_nothing_is_acknowledged_from_a_file_that_is_not_in_its_place(disk: BrittleDisk) -> None:
    """The file is opened again for the next request."""
    troubles = [StoreUnavailableError("deleted")]

    def check() -> None:
        if troubles:
            raise troubles.pop()

    writer = Writer(disk.connect, check)
    await writer.open()
    receiver = Answers()
    writer.submit(new_room(), receiver)
    with pytest.raises(StoreUnavailableError, match="deleted"):
        await writer.rows("SELECT 1")
    assert receiver.answers == [Unavailable("deleted")]
    assert (await version(writer), disk.connects) == (1, 2)
    await writer.close()


async def test_a_locked_file_is_unavailable(tmp_path: Path) -> None:
    """Another program holds the file for longer than the store waits."""
    file = DatabaseFile(tmp_path / "noughts.db")

    def connect() -> sqlite3.Connection:
        db = file.connect()
        db.execute("PRAGMA busy_timeout=0")
        return db

    writer = Writer(connect)
    await writer.open()
    await settled(writer, new_room())
    other = sqlite3.connect(tmp_path / "noughts.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        answers = await settled(writer, next_version(2), next_version(3))
        assert [type(answer) for answer in answers] == [Unavailable, Unavailable]
    finally:
        other.close()
    assert await version(writer) == 1
    await writer.close()


async def test_a_writer_can_be_closed_while_its_file_is_away(disk: BrittleDisk) -> None:
    """A failed commit closed the file, and nothing has opened it again."""
    writer = Writer(disk.connect)
    await writer.open()
    disk.failing = "before"
    with pytest.raises(StoreUnavailableError):
        await writer.rows("SELECT 1")
    await writer.close()
    assert disk.connects == 1
    disk.failing = None
    await writer.open()
    assert await writer.rows("SELECT 1") == [(1,)]
    await writer.close()


async def test_a_transaction_that_stands_still_is_noticed(disk: BrittleDisk) -> None:
    """While it lasts and when it is over, also if it fails. A quick one is no news."""
    writer, patient = Writer(disk.connect, slow_commit_s=0.0), Writer(disk.connect)
    await patient.open()
    await patient.run(lambda db: None)
    assert patient.slow_commit is None
    await patient.close()
    await writer.open()
    for fails in (False, True):
        runs, may_end = threading.Event(), threading.Event()

        def hang(db: sqlite3.Connection, runs: threading.Event, may_end: threading.Event, fails: bool) -> None:
            runs.set()
            may_end.wait()
            if fails:
                raise sqlite3.OperationalError("disk I/O error")

        work = asyncio.create_task(writer.run(partial(hang, runs=runs, may_end=may_end, fails=fails)))
        await asyncio.to_thread(runs.wait)
        lasting = writer.slow_commit
        may_end.set()
        with suppress(StoreUnavailableError):
            await work
        over = writer.slow_commit
        assert lasting is not None
        assert over is not None
        assert (lasting.until_s, over.from_s) == (None, lasting.from_s)
        assert over.until_s is not None
    await writer.close()
