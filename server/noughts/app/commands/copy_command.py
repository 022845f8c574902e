"""``noughts copy``: copy all data from one store to another, in either direction between a file and Redis."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence

from noughts.app.commands.archives import archive_named, failure
from noughts.app.runtime.setting_flags import add_setting_flags, settings_of
from noughts.command_line import command_parser
from noughts.store.archive import Archive, CopyError, compare, copy
from noughts.store.contract import SchemaError, StoreUnavailableError


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return the exit status."""
    parser = command_parser("copy", "Stop all servers first.")
    parser.add_argument("source", metavar="FROM", help="a store, such as sqlite:data/noughts.db")
    parser.add_argument("target", metavar="TO", help="another store, such as redis://127.0.0.1:6379")
    parser.add_argument("--force", action="store_true", help="delete what the target holds, also if it is not empty")
    add_setting_flags(parser, "store_password_file", "store_prefix")
    parsed = parser.parse_args(arguments[1:])
    config = settings_of(parsed)
    source, target = archive_named(parsed.source, config), archive_named(parsed.target, config)
    try:
        asyncio.run(_copy(source, target, parsed))
    except (CopyError, SchemaError, StoreUnavailableError) as error:
        raise failure(error) from None
    return 0


async def _copy(source: Archive, target: Archive, parsed: argparse.Namespace) -> None:
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
    print(f"copied and compared {copied.rooms} rooms and {copied.players} guests")
