"""Runs a batch of requests as one transaction. A request that cannot be carried out fails alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from noughts.store.contract import Change, Stored
from noughts.store.sqlite.changes import PlainRow, plain_row, store_change, store_plain

Request: TypeAlias = Change | Callable[[sqlite3.Connection], Any]
"""A change, or a function whose return value is the answer. It runs twice if the first pass of its batch is rolled back."""


class Failure(NamedTuple):
    """The answer to a request that could not be carried out and wrote nothing."""

    error: Exception


def run_transaction(db: sqlite3.Connection, requests: Sequence[Request]) -> list[Any]:
    """Run requests in their order and commit. Return the answer to each. Raise if it is unknown what was committed."""
    db.execute("BEGIN IMMEDIATE")
    answers = _run_together(db, requests)
    if answers is None:
        db.execute("ROLLBACK")
        db.execute("BEGIN IMMEDIATE")
        answers = [_run_alone(db, request) for request in requests]
    db.execute("COMMIT")
    return answers


def _run_together(db: sqlite3.Connection, requests: Sequence[Request]) -> list[Any] | None:
    """Run requests, with one statement for all plain changes that follow each other.

    Return None if a request failed or a plain change was not stored. To find which one, each must run alone.
    """
    answers: list[Any] = []
    rows: list[PlainRow] = []
    try:
        for request in requests:
            row = plain_row(request) if isinstance(request, Change) else None
            if row is not None:
                rows.append(row)
                answers.append(Stored(row[0]))
                continue
            if rows and not store_plain(db, rows):
                return None
            rows.clear()
            answers.append(_run(db, request))
        if rows and not store_plain(db, rows):
            return None
    except Exception as error:
        if _is_fault_of_the_file(error):
            raise
        return None
    return answers


def _run_alone(db: sqlite3.Connection, request: Request) -> Any:
    """Run one request. Return its answer, or its failure after rolling back its writes."""
    db.execute("SAVEPOINT request")
    try:
        answer = _run(db, request)
    except Exception as error:
        if _is_fault_of_the_file(error):
            raise
        db.execute("ROLLBACK TO request")
        answer = _failure(error)
    db.execute("RELEASE request")
    return answer


def _run(db: sqlite3.Connection, request: Request) -> Any:
    return store_change(db, request) if isinstance(request, Change) else request(db)


def _is_fault_of_the_file(error: Exception) -> bool:
    """Return whether the disk failed or the file is damaged. If not, the request itself is at fault."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def _failure(error: Exception) -> Failure:
    if not isinstance(error, sqlite3.Error | OverflowError):
        return Failure(error)
    value_error = ValueError(f"the store cannot hold this: {error}")
    value_error.__cause__ = error
    return Failure(value_error)
