"""Upgrades a database file of an older schema: what it holds is copied into a new file, and the old one is kept.

A release that only adds tables or indexes needs no upgrade. They are created whenever the file is opened, and an older
program does not look at them. For any other change, raise the number of the schema, and give :data:`READERS` an archive
that reads the schema before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

from noughts.store.archive import Copied, CopyError, ReadableArchive, compare, copy
from noughts.store.contract import SchemaError
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.database_file import DatabaseFile, back_up
from noughts.store.sqlite.inspection import check_kind
from noughts.store.sqlite.schema import SCHEMA, Schema

Readers: TypeAlias = Mapping[int, Callable[[Path], ReadableArchive]]
READERS: Final[Readers] = MappingProxyType({})
"""Older schema -> the archive that reads its files. Schemas 1 and 2 were never given to anyone."""


def upgrade(path: Path, report: Callable[[str], None], schema: Schema = SCHEMA, readers: Readers = READERS) -> None:
    """Upgrade a file of an older schema. Do nothing if there is no file, or if it has this schema.

    ``report`` is called with lines for the operator. An upgrade that was interrupted begins again with the next start.
    Raise :class:`SchemaError` for a file that cannot be upgraded, :class:`StoreUnavailableError` if the disk fails.
    """
    if not path.exists():
        return
    version = check_kind(path, schema.version)
    if version == schema.version:
        return
    if version not in readers:
        raise SchemaError(
            f"{path} was written by an older version of Noughts, and this version cannot upgrade it."
            " Use the version that wrote it, or choose another file."
        )
    old = path.with_name(f"{path.name}.schema{version}")
    report(f"{path} was written by an older version of Noughts. It is kept as {old}, and copied into a new file.")
    file = DatabaseFile(path)
    file.lock()
    try:
        back_up(path, old)
        copied = asyncio.run(_copy(readers[version](old), SqliteArchive(path, schema), report))
    except CopyError as error:
        raise SchemaError(f"{path} cannot be upgraded, and is unchanged: {error}.") from error
    finally:
        file.release()
    report(
        f"{path} is upgraded: {copied}. To go back, stop the server, delete"
        f" {path.name}, {path.name}-wal and {path.name}-shm, rename {old.name} to {path.name}, and start the older version."
    )


async def _copy(source: ReadableArchive, target: SqliteArchive, report: Callable[[str], None]) -> Copied:
    try:
        await source.open()
        await target.begin()
        copied = await copy(source, target, report)
        await compare(source, target)
        await target.complete()
    finally:
        await source.close()
        await target.close()
    return copied
