"""The Lua scripts, which Redis runs one at a time and whole."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from typing import Final, TypeAlias

from noughts.room.idempotency import CUT_EVERY, IDS_KEPT, LEAST_IDS, MAX_IDS
from noughts.store.address import check_prefix
from noughts.store.kinds import RECORD_LIMITS, ROOM

Word: TypeAlias = str | bytes | int
"""One word of a command or of a script's arguments."""

_USES: Final = re.compile(r"-- uses: (.*)\n")
"""The first line of a script that begins with the functions of other files."""


class Script:
    """One script. Redis knows it by its SHA-1.

    It begins with variables: ``P`` is the prefix of all keys. ``K``, ``ROW`` and ``RECORDS`` are the prefixes of the keys of
    one kind, of its values and of their records. ``KEPT`` is how many records a value keeps, nil for all. ``C`` begins the
    message of a change. The four numbers say which command ids stay (``room/idempotency.py``).
    """

    __slots__ = ("sha", "text")

    def __init__(self, name: str, prefix: str, kind: str = ROOM) -> None:
        body = _file(name)
        used = _USES.match(body)
        parts = [_file(part) for part in used[1].split(", ")] if used else []
        self.text = "".join([_variables(prefix, kind), *parts, body])
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


def kind_prefix(prefix: str, kind: str) -> str:
    """Return the beginning of the keys of one kind. Those of rooms do not name their kind."""
    return prefix if kind == ROOM else f"{prefix}{kind}:"


def row_prefix(prefix: str, kind: str) -> str:
    """Return the beginning of the keys of the values of one kind."""
    return kind_prefix(prefix, kind) + ("room:" if kind == ROOM else "value:")


def records_prefix(prefix: str, kind: str) -> str:
    """Return the beginning of the keys of the records of one kind."""
    return kind_prefix(prefix, kind) + ("games:" if kind == ROOM else "records:")


def _variables(prefix: str, kind: str) -> str:
    limits = RECORD_LIMITS.get(kind)
    kept = "nil" if limits is None else limits.most
    return (
        f"local P, K, ROW = '{prefix}', '{kind_prefix(prefix, kind)}', '{row_prefix(prefix, kind)}'\n"
        f"local RECORDS, KEPT, C = '{records_prefix(prefix, kind)}', {kept}, '{change_letter(kind)}'\n"
        f"local MAX_IDS, IDS_KEPT, LEAST_IDS, CUT_EVERY = {MAX_IDS}, {IDS_KEPT}, {LEAST_IDS}, {CUT_EVERY}\n"
    )


def change_letter(kind: str) -> str:
    """Return the beginning of the messages about changes of one kind."""
    return "c" if kind == ROOM else f"k{kind} "


def key_prefix(name: str) -> str:
    """Return the beginning of all keys and channels of an installation."""
    return f"{{{check_prefix(name)}}}:"


def _file(name: str) -> str:
    return (resources.files("noughts.store.redis") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
