"""``noughts salvage``: write all that can be read of a damaged data file to another file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from noughts.app.archives import failure, file_of
from noughts.app.runtime.setting_flags import add_setting_flags, settings_of
from noughts.command_line import UsageError, command_parser
from noughts.store.archive import Copied, copy
from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.archive import SqliteArchive
from noughts.store.sqlite.damaged_archive import DamagedArchive, Losses


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return the exit status."""
    parser = command_parser("salvage", "Stop the server first. Nothing is written to the damaged file.")
    parser.add_argument("file", metavar="FILE", type=Path, help="where to write; it must not exist yet")
    add_setting_flags(parser, "data", "store")
    parsed = parser.parse_args(arguments[1:])
    source, target = file_of(settings_of(parsed)), parsed.file
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or delete it first.")
    try:
        copied, losses = asyncio.run(_salvage(source, target))
    except (OSError, StoreUnavailableError) as error:
        raise failure(error) from None
    for room in losses.rooms:
        print(f"room {room} is lost: its bytes cannot be decoded")
    if losses.unnamed_players:
        print(f"{losses.unnamed_players:,} guests have lost their record and keep their seats, with the name seen last")
    if losses.cells:
        print(f"{losses.cells:,} damaged rows and index entries were left out")
    print(f"{target}: {copied.rooms:,} rooms, {copied.players:,} guests, {target.stat().st_size / 1e6:.1f} MB")
    print(
        f"To use it, keep {source} aside, delete {source.name}-wal and {source.name}-shm, move {target} to {source},"
        " and start the server."
    )
    return 0


async def _salvage(source: Path, target: Path) -> tuple[Copied, Losses]:
    if await SqliteArchive(source).is_used():
        raise UsageError(f"a server runs on {source}: stop it first.")
    print(f"{source}: reading", flush=True)
    damaged, whole = DamagedArchive(source, _show), SqliteArchive(target)
    try:
        await damaged.open()
        await whole.begin()
        copied = await copy(damaged, whole, _show)
        await whole.complete()
    finally:
        await damaged.close()
        await whole.close()
    return copied, damaged.losses


def _show(line: str) -> None:
    print(line, flush=True)
