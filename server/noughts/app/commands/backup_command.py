"""``noughts backup``: copy all data to a file, while the server runs or not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from noughts.app.commands.archives import archive_at, existing_file, failure, store_of
from noughts.app.runtime.config import Config
from noughts.app.runtime.setting_flags import add_setting_flags, settings_of
from noughts.command_line import UsageError, command_parser
from noughts.store.address import RedisAddress
from noughts.store.archive import Archive, Copied, CopyError, copy
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.copying import back_up


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return the exit status."""
    parser = command_parser("backup")
    parser.add_argument("file", metavar="FILE", type=Path, help="where to write the copy; it must not exist yet")
    add_setting_flags(parser, "data", "store", "store_password_file", "store_prefix")
    parsed = parser.parse_args(arguments[1:])
    target: Path = parsed.file
    config = settings_of(parsed)
    source = store_of(config)
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or delete it first.")
    if isinstance(source, RedisAddress):
        return _back_up_redis(source, target, config)
    try:
        copied = back_up(existing_file(source), target)
    except StoreUnavailableError as error:
        raise failure(error) from None
    print(f"{target}: {copied.rooms} rooms, {copied.players} guests, {copied.size / 1e6:.1f} MB")
    return 0


def _back_up_redis(source: RedisAddress, target: Path, config: Config) -> int:
    """Copy what Redis holds to a file. Each room is one state. Rooms that are made meanwhile may be missing."""
    try:
        copied = asyncio.run(_copy(archive_at(source, config), SqliteArchive(target)))
    except (CopyError, SchemaError, StoreUnavailableError) as error:
        raise failure(error) from None
    print(f"{target}: {copied.rooms} rooms, {copied.players} guests, {target.stat().st_size / 1e6:.1f} MB")
    return 0


async def _copy(source: Archive, target: Archive) -> Copied:
    try:
        await source.open()
        await target.begin()
        copied = await copy(source, target, lambda line: None)
        await target.complete()
    finally:
        await source.close()
        await target.close()
    return copied
