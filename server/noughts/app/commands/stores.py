"""The stores that the settings and the arguments choose, for the commands that serve, copy or check them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from noughts.app.runtime.config import Config
from noughts.app.runtime.data_directory import DATABASE
from noughts.command_line import UsageError, part
from noughts.store.address import AddressError, RedisAddress, StoreAddress, store_address
from noughts.store.contract import Store
from noughts.store.copy import CopyError, counts_of
from noughts.store.presence import LEASE_MS
from noughts.store.sqlite.store import SqliteStore, new_store

USED: Final = "a server runs on one of these stores: stop it first (noughts backup copies a running one)"


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


def address_named(text: str, config: Config) -> StoreAddress:
    """Return the address of a store in text. Raise ``UsageError``, which does not repeat a password."""
    try:
        address = store_address(text)
    except AddressError as error:
        raise UsageError(f"the address of a store {error}.") from None
    if isinstance(address, RedisAddress) and address.password is not None:
        raise UsageError(
            "an address must not have a password, which every list of processes would show: use --store-password-file."
        )
    return with_password(address, config)


@asynccontextmanager
async def opened(address: StoreAddress, config: Config, node: str) -> AsyncIterator[Store]:
    """Yield the store at an address, as a server uses it. ``node`` is the id of this process among the nodes of Redis.

    Raise ``StoreUnavailableError`` for a file that another server uses, :class:`UsageError` for one that does not exist.
    """
    store: Store
    if isinstance(address, RedisAddress):
        store = part("nodes").redis_backend(address, node, config.store_prefix).store
    else:
        store = SqliteStore(existing_file(address))
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def is_empty(store: Store) -> bool:
    """Return whether a store holds no value and no guest."""
    values, players = await counts_of(store)
    return not players and not any(values.values())


@asynccontextmanager
async def emptied(address: StoreAddress, config: Config, node: str, *, force: bool) -> AsyncIterator[Store]:
    """Yield an empty store at an address, which servers can use only after the end of the block.

    Raise :class:`CopyError` for a store that is used, and without ``force`` for one that holds something.
    """
    full = CopyError(f"{address} is not empty: choose another one, or delete its data with --force")
    if not isinstance(address, RedisAddress):
        if address.exists():
            async with opened(address, config, node) as present:
                if not force and not await is_empty(present):
                    raise full
        async with new_store(address) as store:
            yield store
        return
    target = part("copies to Redis").RedisCopyTarget(address, config.store_prefix)
    async with target.connected() as connection:
        nodes = await target.living_nodes(connection)
        if node in nodes:
            raise CopyError("source and target are the same store")
        if nodes and await target.is_incomplete(connection):
            raise CopyError(
                f"a copy to {address} runs, or was interrupted: run this again in {LEASE_MS // 1_000} seconds"
            )
        if nodes:
            raise CopyError(USED)
        if not force and not await target.is_empty(connection):
            raise full
        async with target.emptied(connection, node) as store:
            yield store


def file_of(config: Config) -> Path:
    """Return the file of the store that the settings choose. Raise :class:`UsageError`."""
    address = store_of(config)
    if isinstance(address, RedisAddress):
        raise UsageError("this command reads a file, and the store is Redis: check Redis with its own tools.")
    return existing_file(address)


def existing_file(path: Path) -> Path:
    """Return the path of a file that exists. Raise :class:`UsageError`."""
    if not path.exists():
        raise UsageError(f"there is no {path}: check the path, or name the data directory with --data.")
    if not path.is_file():
        raise UsageError(f"{path} is not a file: choose another one.")
    return path
