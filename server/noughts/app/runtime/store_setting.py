"""The store that the settings choose."""

from __future__ import annotations

from dataclasses import replace

from noughts.app.runtime.config import Config
from noughts.app.runtime.data_directory import DATABASE
from noughts.command_line import UsageError
from noughts.store.address import RedisAddress, StoreAddress


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
