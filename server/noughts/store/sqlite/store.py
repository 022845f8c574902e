"""The SQLite store as one object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from noughts.store.kinds import KINDS, Kind
from noughts.store.sqlite.database_file import DatabaseFile, no_warning
from noughts.store.sqlite.machines import SqliteMachines
from noughts.store.sqlite.node import SqliteNode
from noughts.store.sqlite.players import SqlitePlayers
from noughts.store.sqlite.writer import Writer


class SqliteStore(SqliteMachines, SqlitePlayers, SqliteNode):
    """A :class:`~noughts.store.contract.Store` in one file, for one process."""

    def __init__(self, path: Path, warn: Callable[[str], None] = no_warning, *, kinds: Sequence[Kind] = KINDS) -> None:
        self._file = DatabaseFile(path, warn, kinds)
        SqliteMachines.__init__(self, Writer(self._file.connect, self._file.check))

    def machines(self, kind: str) -> SqliteMachines:
        return SqliteMachines(self._writer, kind)
