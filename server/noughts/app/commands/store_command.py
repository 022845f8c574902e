"""``noughts backup``, ``check`` and ``copy``: copy all data of a store, and find what is damaged in a file."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

from noughts.app.commands.archives import archive_at, archive_named, existing_file, file_of, store_of
from noughts.app.runtime.admin_secret import BACKUP_FILE
from noughts.app.runtime.config import add_setting_flags, settings_of
from noughts.command_line import UsageError, command_parser
from noughts.store.address import RedisAddress
from noughts.store.archive import Archive, Copied, CopyError, compare, copy
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.kinds import ROOM
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.database_file import back_up
from noughts.store.sqlite.inspection import check_file

DAMAGED: Final = 1
"""The exit status of ``noughts check`` for a damaged file."""


def main(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names. Return the exit status."""
    try:
        return _RUN[arguments[0]](arguments[1:])
    except (CopyError, SchemaError, StoreUnavailableError) as error:
        raise UsageError(f"{str(error).rstrip('.')}.") from None


def _back_up(arguments: Sequence[str]) -> int:
    """Copy a file, or what Redis holds.

    In a copy of Redis, each room is one state. Rooms that are made meanwhile may be missing.
    """
    parser = command_parser("backup")
    parser.add_argument("file", metavar="FILE", type=Path, help="where to write the copy; it must not exist yet")
    add_setting_flags(parser, "data", "store", "store_password_file", "store_prefix")
    parsed = parser.parse_args(arguments)
    target: Path = parsed.file
    config = settings_of(parsed)
    source = store_of(config)
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or delete it first.")
    if isinstance(source, RedisAddress):
        copied = asyncio.run(_copy_redis(archive_at(source, config), SqliteArchive(target)))
    else:
        copied = back_up(existing_file(source), target)
    print(f"{target}: {copied}, {target.stat().st_size / 1e6:.1f} MB")
    with suppress(OSError):  # the directory may be read-only, and the backup is made
        (config.data / BACKUP_FILE).write_text(json.dumps({"at_ms": int(time.time() * 1000)}))
    return 0


async def _copy_redis(source: Archive, target: Archive) -> Copied:
    try:
        await source.open()
        await target.begin()
        copied = await copy(source, target, lambda line: None)
        await target.complete()
    finally:
        await source.close()
        await target.close()
    return copied


def _check(arguments: Sequence[str]) -> int:
    """Read the whole file, while the server runs or not. Return 0 for a file that is whole, 1 for a damaged one."""
    parser = command_parser("check", "Nothing is written to it.")
    add_setting_flags(parser, "data", "store")
    path = file_of(settings_of(parser.parse_args(arguments)))
    print(f"{path}: reading", flush=True)
    health = check_file(path, lambda line: print(line, flush=True))
    for sentence in health.damage:
        print(f"damaged: {sentence}")
    for kind, id in health.unreadable:
        remedy = f": remove it with `noughts close {id}` while the server runs" if kind == ROOM else ""
        print(f"{kind} {id} cannot be read{remedy}")
    for kind, id in health.lost:
        print(f"{kind} {id} is lost: other parts of the file name it, and its row is gone or damaged")
    if health.whole:
        print(f"{path} is whole: {health.counts}")
        return 0
    if health.damage or health.lost:
        print(
            f"{path} is damaged. Stop the server, and put a backup in its place;"
            " or save what can be read as docs/how-to/repair.md says."
        )
    return DAMAGED


def _copy(arguments: Sequence[str]) -> int:
    """Copy all data from one store to another, in either direction between a file and Redis."""
    parser = command_parser("copy", "Stop all servers first.")
    parser.add_argument("source", metavar="FROM", help="a store, such as sqlite:data/noughts.db")
    parser.add_argument("target", metavar="TO", help="another store, such as redis://127.0.0.1:6379")
    parser.add_argument("--force", action="store_true", help="delete what the target holds, also if it is not empty")
    add_setting_flags(parser, "store_password_file", "store_prefix")
    parsed = parser.parse_args(arguments)
    config = settings_of(parsed)
    asyncio.run(_copy_whole(parsed, archive_named(parsed.source, config), archive_named(parsed.target, config)))
    return 0


async def _copy_whole(parsed: argparse.Namespace, source: Archive, target: Archive) -> None:
    try:
        await source.open()
        await target.open()
        if await source.identity() == await target.identity():
            raise CopyError("source and target are the same store")
        if await source.is_used() or await target.is_used():
            raise CopyError("a server runs on one of these stores: stop it first (noughts backup copies a running one)")
        if await source.is_empty():
            raise CopyError(f"there is nothing in {parsed.source}: check the address")
        if not (parsed.force or await target.is_empty()):
            raise CopyError(f"{parsed.target} is not empty: choose another one, or delete its data with --force")
        await target.begin()
        copied = await copy(source, target, print)
        await compare(source, target)
        await target.complete()
    finally:
        await source.close()
        await target.close()
    print(f"copied and compared: {copied}")


_RUN: Final = MappingProxyType[str, Callable[[Sequence[str]], int]](
    {"backup": _back_up, "check": _check, "copy": _copy}
)
