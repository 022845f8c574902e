"""Runs a batch of requests as one transaction. A request that cannot be carried out fails alone.

It fails alone also where it meets damage in the file: the other requests of its batch are committed. Only a transaction that
does not begin, or a commit that fails, leaves the whole batch unknown.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from noughts.store.contract import DamagedError
from noughts.store.machine_store import Change, Stored
from noughts.store.sqlite.changes import PlainRow, plain_row, store_change, store_plain
from noughts.store.sqlite.inspection import damage_text, is_damage

Request: TypeAlias = Change | Callable[[sqlite3.Connection], object]
"""A change, or a function whose return value is the answer. It runs again if a pass of its batch is rolled back."""

CheckWriter: TypeAlias = Callable[[sqlite3.Connection], None]

MAX_DAMAGED: Final = 8
"""With more requests than this that meet damage in one batch, each request gets a transaction of its own."""


class Failure(NamedTuple):
    """The answer to a request that could not be carried out and wrote nothing."""

    error: Exception


def any_writer(db: sqlite3.Connection) -> None:
    """Let any process write."""


def run_transaction(
    db: sqlite3.Connection, requests: Sequence[Request], check_writer: CheckWriter = any_writer
) -> list[object]:
    """Run requests in their order and commit. Return the answer to each. Raise if it is unknown what was committed.

    ``check_writer`` raises an exception if another process has taken the file over. Nothing is committed then.
    """
    db.execute("BEGIN IMMEDIATE")
    check_writer(db)
    answers = _run_together(db, requests)
    if answers is None:
        _roll_back(db)
        return _run_each(db, requests, check_writer)
    db.execute("COMMIT")
    return answers


def _run_together(db: sqlite3.Connection, requests: Sequence[Request]) -> list[object] | None:
    """Run requests, with one statement for all plain changes of a kind that follow each other.

    Return None if a request failed or a plain change was not stored. To find which one, each must run alone.
    """
    answers: list[object] = []
    rows: list[PlainRow] = []
    kind = ""
    try:
        for request in requests:
            row, row_kind = (plain_row(request), request.kind) if isinstance(request, Change) else (None, "")
            if rows and (row is None or row_kind != kind):
                if not store_plain(db, rows, kind):
                    return None
                rows.clear()
            if row is None:
                answers.append(_run(db, request))
            else:
                kind = row_kind
                rows.append(row)
                answers.append(Stored(row[0]))
        if rows and not store_plain(db, rows, kind):
            return None
    except Exception as error:
        if _is_outage(error):
            raise
        return None
    return answers


def _run_each(db: sqlite3.Connection, requests: Sequence[Request], check_writer: CheckWriter) -> list[object]:
    """Run each request alone, all in one transaction, and commit. Return the answers.

    SQLite commits nothing in a transaction that has met damage. So it begins again without the request that met it.
    """
    failures: dict[int, Failure] = {}
    while len(failures) <= MAX_DAMAGED:
        db.execute("BEGIN IMMEDIATE")
        check_writer(db)
        answers: list[object] = []
        for number, request in enumerate(requests):
            answer = failures[number] if number in failures else _run_alone(db, request)
            answers.append(answer)
            if number not in failures and isinstance(answer, Failure) and isinstance(answer.error, DamagedError):
                failures[number] = answer
                _roll_back(db)
                break
        else:
            db.execute("COMMIT")
            return answers
    return [answer for request in requests for answer in _run_each(db, [request], check_writer)]


def _run_alone(db: sqlite3.Connection, request: Request) -> object:
    """Run one request. Return its answer, or its failure after rolling back its writes."""
    db.execute("SAVEPOINT request")
    try:
        answer = _run(db, request)
    except Exception as error:
        if _is_outage(error):
            raise
        if is_damage(error):
            damaged = DamagedError(f"a part of the file is damaged: {damage_text(error)}")
            damaged.__cause__ = error
            return Failure(damaged)
        db.execute("ROLLBACK TO request")
        answer = _failure(error)
    db.execute("RELEASE request")
    return answer


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:  # SQLite itself rolls back where a page cannot be read from the disk
        db.execute("ROLLBACK")


def _run(db: sqlite3.Connection, request: Request) -> object:
    return store_change(db, request) if isinstance(request, Change) else request(db)


def _is_outage(error: Exception) -> bool:
    """Return whether the disk or the file as a whole failed. If not, the request or the bytes that it needs are at fault."""
    if is_damage(error):
        return False
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def _failure(error: Exception) -> Failure:
    if not isinstance(error, sqlite3.Error | OverflowError):
        return Failure(error)
    value_error = ValueError(f"the store cannot hold this: {error}")
    value_error.__cause__ = error
    return Failure(value_error)
