"""``noughts backup``: copy all data to a file, while the server runs or not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from noughts.app.runtime import config as settings
from noughts.app.runtime.config import SettingError
from noughts.command_line import Parser, UsageError
from noughts.store.address import RedisAddress
from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.copying import back_up

DATABASE: Final = "noughts.db"


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return the exit status."""
    parser = Parser(prog="noughts backup", description="Copy all data to a file, while the server runs or not.")
    parser.add_argument("file", metavar="FILE", type=Path, help="where to write the copy; it must not exist yet")
    parser.add_argument("--data", help="data directory of the server (NOUGHTS_DATA; data)")
    parser.add_argument("--store", help="store of the server, if not noughts.db in its data directory (NOUGHTS_STORE)")
    parsed = parser.parse_args(arguments[1:])
    target: Path = parsed.file
    flags = {"data": parsed.data, "store": parsed.store}
    try:
        config, _ = settings.load({name: text for name, text in flags.items() if text is not None}, os.environ)
    except SettingError as error:
        raise UsageError(str(error)) from None
    source = config.store or config.data / DATABASE
    if isinstance(source, RedisAddress):
        raise UsageError(
            "noughts backup copies a file. For Redis, copy its append-only file: see docs/how-to/back-up.md."
        )
    if not source.exists():
        raise UsageError(f"there is no {source}: name the data directory with --data.")
    if target.exists():
        raise UsageError(f"{target} exists already: choose another name, or delete it first.")
    try:
        copied = back_up(source, target)
    except StoreUnavailableError as error:
        raise UsageError(f"{error}.") from None
    print(f"{target}: {copied.rooms} rooms, {copied.players} guests, {copied.size / 1e6:.1f} MB")
    return 0
