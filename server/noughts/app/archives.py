"""Stores as archives, and the file of a store, for the commands that copy or check them."""

from __future__ import annotations

import argparse
import importlib
import os
from dataclasses import replace
from pathlib import Path

from noughts.app.runtime import config as settings
from noughts.app.runtime.config import Config, SettingError
from noughts.app.runtime.data_directory import DATABASE
from noughts.command_line import UsageError
from noughts.store.address import AddressError, RedisAddress, StoreAddress, store_address
from noughts.store.archive import Archive
from noughts.store.sqlite.archive import SqliteArchive


def archive_at(address: StoreAddress, config: Config) -> Archive:
    """Return the archive at an address. Prefix and password of Redis come from the settings. Raise ``UsageError``."""
    if not isinstance(address, RedisAddress):
        return SqliteArchive(address)
    if config.store_password_file is not None:
        address = replace(address, password=_password(config.store_password_file))
    # A copy between files must not wait for the import of the client of Redis.
    redis = importlib.import_module("noughts.store.redis.archive")
    archive: Archive = redis.RedisArchive(address, config.store_prefix)
    return archive


def archive_named(text: str, config: Config) -> Archive:
    """Return the archive that an address in text names. Raise ``UsageError``, which does not repeat a password."""
    try:
        address = store_address(text)
    except AddressError as error:
        raise UsageError(f"the address of a store {error}.") from None
    if isinstance(address, RedisAddress) and address.password is not None:
        raise UsageError(
            "an address must not have a password, which every list of processes would show: use --store-password-file."
        )
    return archive_at(address, config)


def add_file_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name the file."""
    parser.add_argument("--data", help="data directory of the server (NOUGHTS_DATA; data)")
    parser.add_argument("--store", help="store of the server, if not noughts.db in its data directory (NOUGHTS_STORE)")


def file_of(parsed: argparse.Namespace) -> Path:
    """Return the file that the flags or the environment name. Raise :class:`UsageError`."""
    flags = {name: getattr(parsed, name) for name in ("data", "store")}
    try:
        config, _ = settings.load({name: text for name, text in flags.items() if text is not None}, os.environ)
    except SettingError as error:
        raise UsageError(str(error)) from None
    path = config.store or config.data / DATABASE
    if isinstance(path, RedisAddress):
        raise UsageError("this command reads a file, and the store is Redis: check Redis with its own tools.")
    if not path.exists():
        raise UsageError(f"there is no {path}: name the data directory with --data.")
    return path


def _password(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the file of --store-password-file cannot be read: {error}.") from None
