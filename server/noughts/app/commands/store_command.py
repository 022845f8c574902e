"""``noughts backup``, ``restore``, ``check`` and ``copy``: copy all data of a store, and find damage in a file."""

from __future__ import annotations

import asyncio
import itertools
import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from noughts import __version__
from noughts.app.commands.stores import USED, address_named, emptied, existing_file, file_of, is_empty, opened, store_of
from noughts.app.runtime.backups import note_backup
from noughts.app.runtime.config import Config, add_setting_flags, settings_of
from noughts.app.runtime.data_directory import only_server, private_files
from noughts.command_line import UsageError, command_parser
from noughts.store.address import RedisAddress, StoreAddress
from noughts.store.contract import NodeStatus, SchemaError, StoreUnavailableError
from noughts.store.copy import Copied, CopyError, copy
from noughts.store.kinds import ROOM
from noughts.store.sqlite.copies import back_up
from noughts.store.sqlite.database_file import locked
from noughts.store.sqlite.inspection import Health, check_file
from noughts.store.sqlite.restoring import Summary, restore, summary_of
from noughts.store.sqlite.store import new_store

DAMAGED: Final = 1
"""The exit status of ``noughts check`` for a damaged file."""
PROGRESS_S: Final = 2.0
"""Seconds between two lines of progress of a check."""


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
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="where to write the copy: a new file, or with --keep a directory"
    )
    parser.add_argument(
        "--keep",
        metavar="N",
        type=int,
        help="name the copy for the date, and delete the oldest of these copies beyond this number",
    )
    add_setting_flags(parser, "data", "store", "store_password_file", "store_prefix")
    parsed = parser.parse_args(arguments)
    target: Path = parsed.file
    config = settings_of(parsed)
    source = store_of(config)
    if parsed.keep is not None:
        if parsed.keep < 1:
            raise UsageError("--keep must be at least 1.")
        target = _dated_file(target)
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or delete it first.")
    if isinstance(source, RedisAddress):
        copied = asyncio.run(_back_up_redis(source, config, target))
    else:
        copied = back_up(existing_file(source), target)
    print(f"{target}: {copied}, {target.stat().st_size / 1e6:.1f} MB")
    with suppress(OSError), private_files():  # the directory may be read-only, and the backup is made
        note_backup(config.data, int(time.time() * 1000))
    if parsed.keep is not None:
        _delete_oldest(target, parsed.keep)
    return 0


_DATED: Final = "noughts-*.db"
_STALE_S: Final = 86_400


def _dated_file(directory: Path) -> Path:
    """Return a new name in a directory. Delete what interrupted backups left there."""
    try:
        directory.mkdir(exist_ok=True)
        for partial in directory.glob(f"{_DATED}.partial"):
            if partial.stat().st_mtime < time.time() - _STALE_S:
                partial.unlink()
    except OSError as error:
        raise UsageError(f"{directory} cannot be used for backups: {error.strerror}.") from None
    return directory / f"noughts-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"


def _delete_oldest(newest: Path, most: int) -> None:
    """Delete the oldest backups beyond a number, by the dates in their names. The newest backup is never deleted."""
    older = sorted(path for path in newest.parent.glob(_DATED) if path != newest)
    for path in older[: max(0, len(older) + 1 - most)]:
        path.unlink(missing_ok=True)


async def _back_up_redis(address: RedisAddress, config: Config, target: Path) -> Copied:
    status = _status()
    async with opened(address, config, status.node) as source, new_store(target) as store:
        return await copy(source, store, status, lambda line: None)


def _status() -> NodeStatus:
    """Return the status of this process, for as long as it takes part in a store."""
    node = f"copy-{secrets.token_hex(4)}"
    return NodeStatus(node, node, __version__, 0)


class _Progress:
    """Prints lines of progress, at most one in some seconds: a small file needs none."""

    def __init__(self) -> None:
        self._shown_s = time.monotonic()

    def show(self, line: str) -> None:
        if time.monotonic() - self._shown_s >= PROGRESS_S:
            self._shown_s = time.monotonic()
            print(line, flush=True)


def _check(arguments: Sequence[str]) -> int:
    """Read the whole file, while the server runs or not. Return 0 for a file that is whole, 1 for a damaged one."""
    parser = command_parser("check", "Nothing is written to it.")
    add_setting_flags(parser, "data", "store")
    path = file_of(settings_of(parser.parse_args(arguments)))
    print(f"{path}: reading", flush=True)
    health = check_file(path, _Progress().show)
    if _is_whole(health):
        print(f"{path} is whole: {health.counts}")
        return 0
    if health.damage or health.lost:
        print(
            f"{path} is damaged. Stop the server, and put a backup in its place with `noughts restore`;"
            " or save what can be read: the page /docs/how-to/repair of a server says how."
        )
    return DAMAGED


def _is_whole(health: Health) -> bool:
    """Return whether nothing is damaged. Print what is."""
    for sentence in health.damage:
        print(f"damaged: {sentence}")
    for kind, id in health.unreadable:
        remedy = f": remove it with `noughts close {id}` while the server runs" if kind == ROOM else ""
        print(f"{kind} {id} cannot be read{remedy}")
    for kind, id in health.lost:
        print(f"{kind} {id} is lost: other parts of the file name it, and its row is gone or damaged")
    return health.whole


def _restore(arguments: Sequence[str]) -> int:
    """Put a backup in the place of the data. The data from before are kept under another name."""
    parser = command_parser("restore", "Stop the server first. The backup is checked, and is not changed.")
    parser.add_argument("file", metavar="COPY", type=Path, help="a file that noughts backup has written")
    add_setting_flags(parser, "data", "store", "store_password_file", "store_prefix", "any_file_system")
    parsed = parser.parse_args(arguments)
    config = settings_of(parsed)
    backup = existing_file(parsed.file)
    print(f"{backup}: reading", flush=True)
    if not _is_whole(check_file(backup, _Progress().show)):
        raise UsageError(f"{backup} is damaged: restore another backup. The data are as they were.")
    address = store_of(config)
    with private_files():
        if isinstance(address, RedisAddress):
            print(f"{address}: restored: {asyncio.run(_restore_redis(backup, address, config))}")
        else:
            _restore_file(backup, address, config)
    return 0


def _restore_file(backup: Path, path: Path, config: Config) -> None:
    if path.exists() and path.samefile(backup):
        raise UsageError(f"{backup} is the data file itself: name a backup.")
    path = path.resolve()  # a link stays
    path.parent.mkdir(parents=True, exist_ok=True)
    sole = nullcontext() if config.store else only_server(config.data, any_file_system=config.any_file_system)
    with sole, locked(path):
        aside = _unused(path.with_name(f"{path.name}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}"))
        before = None
        with suppress(StoreUnavailableError):  # damaged, or none
            before = summary_of(path)
        restore(backup, path, aside)
    if aside.exists():
        print(f"before: {_text_of(before)}")
    print(f"now:    {_text_of(summary_of(path))}")
    if aside.exists():
        place = f"--data {config.data}" if config.store is None else f"--store sqlite:{path}"
        print(f"The data from before are kept as {aside}. To go back: noughts restore {aside} {place}")


def _text_of(summary: Summary | None) -> str:
    if summary is None:
        return "data that cannot be read"
    newest = datetime.fromtimestamp(summary.newest_ms / 1000, UTC)
    change = f"newest change {newest:%Y-%m-%d %H:%M:%S} UTC" if summary.newest_ms else "no changes"
    return f"{summary.counts}; {change}"


def _unused(path: Path) -> Path:
    """Return a name that no file has: this one, or this one with a number."""
    names = (path.with_name(f"{path.name}-{number}") for number in itertools.count(2))
    return next(name for name in (path, *itertools.islice(names, 1000)) if not name.exists())


async def _restore_redis(backup: Path, address: RedisAddress, config: Config) -> Copied:
    """Copy a backup to an empty Redis. A copy of the file is opened, because a store writes to its file."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "noughts.db")
        back_up(backup, file)
        return await _copy_whole(file, address, config, force=False)


def _copy(arguments: Sequence[str]) -> int:
    """Copy all data from one store to another, in either direction between a file and Redis."""
    parser = command_parser("copy", "Stop all servers first.")
    parser.add_argument("source", metavar="FROM", help="a store, such as sqlite:data/noughts.db")
    parser.add_argument("target", metavar="TO", help="another store, such as redis://127.0.0.1:6379")
    parser.add_argument("--force", action="store_true", help="delete what the target holds, also if it is not empty")
    add_setting_flags(parser, "store_password_file", "store_prefix")
    parsed = parser.parse_args(arguments)
    config = settings_of(parsed)
    source, target = address_named(parsed.source, config), address_named(parsed.target, config)
    if isinstance(source, Path) and isinstance(target, Path) and source.resolve() == target.resolve():
        raise CopyError("source and target are the same store")
    copied = asyncio.run(_copy_whole(source, target, config, parsed.force))
    print(f"copied: {copied}")
    return 0


async def _copy_whole(source: StoreAddress, target: StoreAddress, config: Config, force: bool) -> Copied:
    status = _status()
    async with opened(source, config, status.node) as from_store:
        if from_store.shared and len((await from_store.beat(status, 0)).nodes) > 1:
            raise CopyError(USED)
        if await is_empty(from_store):
            raise CopyError(f"there is nothing in {source}: check the address")
        async with emptied(target, config, status.node, force=force) as to_store:
            return await copy(from_store, to_store, status, print)


_RUN: Final = MappingProxyType[str, Callable[[Sequence[str]], int]](
    {"backup": _back_up, "check": _check, "copy": _copy, "restore": _restore}
)
