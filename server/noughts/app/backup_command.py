"""``noughts backup``: copy all data to a file, while the server runs or not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from noughts.app.archives import archive_at
from noughts.app.runtime import config as settings
from noughts.app.runtime.config import Config, SettingError
from noughts.app.runtime.data_directory import DATABASE
from noughts.command_line import Parser, UsageError
from noughts.store.address import RedisAddress
from noughts.store.archive import Archive, Copied, CopyError, copy
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.copying import back_up


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return the exit status."""
    parser = Parser(prog="noughts backup", description="Copy all data to a file, while the server runs or not.")
    parser.add_argument("file", metavar="FILE", type=Path, help="where to write the copy; it must not exist yet")
    parser.add_argument("--data", help="data directory of the server (NOUGHTS_DATA; data)")
    parser.add_argument("--store", help="store of the server, if not noughts.db in its data directory (NOUGHTS_STORE)")
    parser.add_argument("--store-password-file", help="file with the password of Redis (NOUGHTS_STORE_PASSWORD_FILE)")
    parser.add_argument("--store-prefix", help="beginning of all keys in Redis (NOUGHTS_STORE_PREFIX; noughts)")
    parsed = parser.parse_args(arguments[1:])
    target: Path = parsed.file
    names = ("data", "store", "store_password_file", "store_prefix")
    flags = {name: getattr(parsed, name) for name in names}
    try:
        config, _ = settings.load({name: text for name, text in flags.items() if text is not None}, os.environ)
    except SettingError as error:
        raise UsageError(str(error)) from None
    source = config.store or config.data / DATABASE
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or delete it first.")
    if isinstance(source, RedisAddress):
        return _back_up_redis(source, target, config)
    if not source.exists():
        raise UsageError(f"there is no {source}: name the data directory with --data.")
    try:
        copied = back_up(source, target)
    except StoreUnavailableError as error:
        raise UsageError(f"{error}.") from None
    print(f"{target}: {copied.rooms} rooms, {copied.players} guests, {copied.size / 1e6:.1f} MB")
    return 0


def _back_up_redis(source: RedisAddress, target: Path, config: Config) -> int:
    """Copy what Redis holds to a file. Each room is one state. Rooms that are made meanwhile may be missing."""
    try:
        copied = asyncio.run(_copy(archive_at(source, config), SqliteArchive(target)))
    except (CopyError, SchemaError, StoreUnavailableError) as error:
        raise UsageError(f"{str(error).rstrip('.')}.") from None
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
