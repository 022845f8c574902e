"""The one thread that uses the file. It runs many requests in one transaction and answers them after the commit.

The requests of one turn of the event loop go to the thread in one piece, and the answers come back in one call. While the
thread is busy, later requests gather for the next piece. So a single change never waits for others, and under load commits
become larger instead of more frequent.

A commit that fails means *unknown*. Every request of that transaction gets this answer. The file is closed, and opened again
for the next request. A file that was deleted or replaced takes commits as before, and they are lost. So the writer looks for
the file after each commit, before it answers.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from noughts.store.contract import SLOW_COMMIT_S, SlowCommit, StoreUnavailableError
from noughts.store.machine_store import Awaited, Change, Failed, Unavailable
from noughts.store.sqlite.transaction import CheckWriter, Failure, Request, any_writer, run_transaction

T = TypeVar("T")

Word: TypeAlias = str | bytes | int | None
"""A parameter of a statement."""
Row: TypeAlias = Any
"""A row as sqlite3 returns it, a tuple; None where there is none. The statement says what it holds."""

MAX_BATCH: Final = 512
"""The most requests in one transaction, which limits how long the first one waits."""


class _Receiver(Protocol):
    def commit_answered(self, change: Any, answer: Any) -> None: ...


def _unchanged() -> None:
    pass


_HandOver: TypeAlias = tuple[list[Request], list[_Receiver]]


class Writer:
    """The queue and the thread of one file. Its public methods run on the event loop."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        check: Callable[[], None] = _unchanged,
        check_writer: CheckWriter = any_writer,
        slow_commit_s: float = SLOW_COMMIT_S,
    ) -> None:
        """``check`` raises an exception if the path no longer leads to the file that ``connect`` opened.

        ``check_writer`` raises one, at the beginning of each transaction, if another process writes to the file.
        """
        self._slow_commit_s = slow_commit_s
        self._connect = connect
        self._check = check
        self._check_writer = check_writer
        self._busy = False
        self._requests: list[Request] = []
        self._receivers: list[_Receiver] = []
        self._hand_overs: queue.SimpleQueue[_HandOver | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._began_s: float | None = None
        self._slow: SlowCommit | None = None
        self.commits = 0
        """Transactions so far."""

    async def open(self) -> None:
        """Open the file and start the thread. Raise what ``connect`` raises."""
        db = await asyncio.to_thread(self._connect)
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._serve, args=(loop, db), name="store", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Carry out every request so far, then close the file and end the thread."""
        while self._thread is not None and (self._busy or self._requests):
            with suppress(StoreUnavailableError):
                await self.run(lambda db: None)
        thread, self._thread = self._thread, None
        if thread is not None:
            self._hand_overs.put(None)
            await asyncio.to_thread(thread.join, 5.0)

    @property
    def slow_commit(self) -> SlowCommit | None:
        """The newest transaction that took longer than a second, or takes longer; None without one."""
        began_s = self._began_s
        if began_s is not None and time.monotonic() - began_s > self._slow_commit_s:
            return SlowCommit(began_s, None)
        return self._slow

    def submit(self, request: Request, receiver: _Receiver) -> None:
        """Queue a request. The receiver gets the answer in a later turn of the event loop."""
        if not self._requests and not self._busy:
            asyncio.get_running_loop().call_soon(self._hand_over)
        self._requests.append(request)
        self._receivers.append(receiver)

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function in a transaction, after all earlier requests. Return its result after the commit.

        Raise ValueError for values that SQLite cannot hold, and :class:`StoreUnavailableError` if the outcome is not known.
        """
        receiver: Awaited[T | Failure] = Awaited()
        self.submit(work, receiver)
        answer = await receiver.future
        if isinstance(answer, Failure):
            raise answer.error
        return answer

    async def execute(self, sql: str, parameters: Sequence[Word] = ()) -> None:
        """Run one statement. Raise as :meth:`run` does."""
        await self.run(lambda db: db.execute(sql, parameters).close())

    async def rows(self, sql: str, parameters: Sequence[Word] = ()) -> list[Row]:
        """Return the rows of a query. Raise as :meth:`run` does."""
        return await self.run(lambda db: db.execute(sql, parameters).fetchall())

    async def row(self, sql: str, parameters: Sequence[Word] = ()) -> Row:
        """Return the first row of a query, or None. Raise as :meth:`run` does."""
        return await self.run(lambda db: db.execute(sql, parameters).fetchone())

    def _hand_over(self) -> None:
        """Give the thread all waiting requests. While it is busy, further ones wait until its answers come back."""
        requests, receivers = self._requests, self._receivers
        self._requests, self._receivers, self._busy = [], [], True
        if self._thread is None:
            self._answered(requests, receivers, _unknown(requests, "the store is not open"))
        else:
            self._hand_overs.put((requests, receivers))

    def _answered(self, requests: list[Request], receivers: list[_Receiver], answers: list[object]) -> None:
        """Give each receiver its answer. A receiver that raises does not stop the others."""
        for request, receiver, answer in zip(requests, receivers, answers, strict=True):
            try:
                if type(answer) is Failure and isinstance(request, Change):
                    answer = _unstored(answer.error)
                receiver.commit_answered(request, answer)
            except Exception as error:
                context = {"message": "the receiver of a store's answer failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)
        self._busy = False
        if self._requests:
            self._hand_over()

    # --- the thread ---------------------------------------------------------------------------------------------

    def _serve(self, loop: asyncio.AbstractEventLoop, db: sqlite3.Connection | None) -> None:
        while (hand_over := self._hand_overs.get()) is not None:
            requests, receivers = hand_over
            answers: list[object] = []
            for start in range(0, len(requests), MAX_BATCH):
                db, some = self._transact(db, requests[start : start + MAX_BATCH])
                answers += some
            with suppress(RuntimeError):  # the loop is closed, and nothing waits for an answer
                loop.call_soon_threadsafe(self._answered, requests, receivers, answers)
        if db is not None:
            with suppress(sqlite3.Error):
                db.close()

    def _transact(
        self, db: sqlite3.Connection | None, requests: list[Request]
    ) -> tuple[sqlite3.Connection | None, list[object]]:
        """Run a batch. Return the connection for the next one, None if it must be opened again, and the answers."""
        self._began_s = began_s = time.monotonic()
        try:
            if db is None:
                db = self._connect()
            answers = run_transaction(db, requests, self._check_writer)
            self._check()
        except Exception as error:
            if db is not None:
                with suppress(sqlite3.Error):
                    db.close()  # rolls back what was not committed
            reason = str(error) if isinstance(error, StoreUnavailableError) else f"the store failed: {error}"
            return None, _unknown(requests, reason)
        finally:
            ended_s, self._began_s = time.monotonic(), None
            if ended_s - began_s > self._slow_commit_s:
                self._slow = SlowCommit(began_s, ended_s)
        self.commits += 1
        return db, answers


def _unstored(error: Exception) -> Unavailable | Failed:
    """Return the answer to a change that was not stored."""
    return Unavailable(str(error)) if type(error) is StoreUnavailableError else Failed(str(error))


def _unknown(requests: Sequence[Request], reason: str) -> list[object]:
    failure = Failure(StoreUnavailableError(reason))
    return [failure] * len(requests)
