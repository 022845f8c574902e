"""The store that the settings choose, and stores as archives, for the commands that serve, copy or check them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from noughts.app.runtime.config import Config
from noughts.app.runtime.data_directory import DATABASE
from noughts.command_line import UsageError, part
from noughts.store.address import AddressError, RedisAddress, StoreAddress, store_address
from noughts.store.archive import Archive
from noughts.store.sqlite.archive import SqliteArchive


def store_of(config: Config) -> StoreAddress:
    """Return the address of the store. Raise :class:`UsageError` if the password of Redis cannot be read."""
    return with_password(config.store or config.data / DATABASE, config)


def with_password(address: StoreAddress, config: Config) -> StoreAddress:
    """Return an address with the password of Redis that the settings name. Raise :class:`UsageError`."""
    if not isinstance(address, RedisAddress) or config.store_password_file is None:
        return address
    try:
        password = config.store_password_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the file of --store-password-file cannot be read: {error}.") from None
    return replace(address, password=password)


def archive_at(address: StoreAddress, config: Config) -> Archive:
    """Return the archive at an address. The prefix of Redis comes from the settings."""
    if not isinstance(address, RedisAddress):
        return SqliteArchive(address)
    archive: Archive = part("copies of Redis").RedisArchive(address, config.store_prefix)
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
    return archive_at(with_password(address, config), config)


def file_of(config: Config) -> Path:
    """Return the file of the store that the settings choose. Raise :class:`UsageError`."""
    address = store_of(config)
    if isinstance(address, RedisAddress):
        raise UsageError("this command reads a file, and the store is Redis: check Redis with its own tools.")
    return existing_file(address)


def existing_file(path: Path) -> Path:
    """Return the path of a file that exists. Raise :class:`UsageError`."""
    if not path.exists():
        raise UsageError(f"there is no {path}: name the data directory with --data.")
    if not path.is_file():
        raise UsageError(f"{path} is not a file: choose another one.")
    return path
