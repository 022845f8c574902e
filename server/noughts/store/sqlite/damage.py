"""Tells damage in the stored bytes from a disk or a database that does not answer."""

from __future__ import annotations

import sqlite3
from typing import Final

_PRIMARY: Final = 0xFF
"""The low byte of a result code of SQLite is its kind."""
_UNREADABLE: Final = frozenset((sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ))
"""One page could not be read from the disk. Others may be readable."""
_NOT_TEXT: Final = "Could not decode to UTF-8"


def is_damage(error: Exception) -> bool:
    """Return whether an error of SQLite concerns only the stored bytes that a statement read or would change."""
    if not isinstance(error, sqlite3.Error):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # not an error of SQLite itself, but of Python's module, which decodes text
        return str(error).startswith(_NOT_TEXT)
    return code & _PRIMARY == sqlite3.SQLITE_CORRUPT or code in _UNREADABLE


def damage_text(error: Exception) -> str:
    """Return what a log may say about damage. The module's own text would quote what is stored, such as a chat line."""
    return "a text is not UTF-8" if str(error).startswith(_NOT_TEXT) else str(error)
