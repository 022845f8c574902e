"""The address of a store: a file, or Redis."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import parse_qs, quote, unquote, urlsplit

_REDIS: Final = re.compile(r"(?:redis|rediss|unix)://.*", re.DOTALL)
_HOST: Final = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d+)?")
_PREFIX: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")

FORMS: Final = "sqlite:PATH, redis://HOST, rediss://HOST or unix:///PATH, such as redis://127.0.0.1:6379"


class AddressError(ValueError):
    """The text is not the address of a store. The message never repeats the text, which may hold a password."""


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where Redis is, and how to authenticate. Its text never shows the password.

    ``url`` has no password and no options. ``certificates`` is a file with the certificates to trust with TLS; None trusts
    the system's.
    """

    url: str
    certificates: Path | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.url


StoreAddress: TypeAlias = Path | RedisAddress


def store_address(text: str) -> StoreAddress:
    """Return the path in ``sqlite:PATH``, or the address of Redis. Raise :class:`AddressError`."""
    scheme, separator, path = text.partition(":")
    if scheme == "sqlite":
        if not separator or not path or path.startswith("//"):
            raise AddressError("must be sqlite:PATH, such as sqlite:data/noughts.db")
        return Path(path)
    if _REDIS.fullmatch(text) is None:
        raise AddressError(f"must be {FORMS}")
    return _redis_address(text)


def address_text(address: StoreAddress) -> str:
    """Return the text of an address, with absolute paths, and with its password: for the environment of a child."""
    if isinstance(address, Path):
        return f"sqlite:{address.absolute()}"
    parts = urlsplit(address.url)
    user, _, location = parts.netloc.rpartition("@")
    if address.password is not None:
        location = f"{user}:{quote(address.password, safe='')}@{location}"
    elif user:
        location = f"{user}@{location}"
    options = "" if address.certificates is None else f"?ca={quote(str(address.certificates.absolute()))}"
    return f"{parts.scheme}://{location}{parts.path}{options}"


def check_prefix(name: str) -> str:
    """Return the prefix of all keys of an installation in Redis. Raise :class:`AddressError` for another text."""
    if _PREFIX.fullmatch(name) is None:
        raise AddressError("must be 1 to 40 letters, digits, dots, dashes or underscores")
    return name


def _redis_address(text: str) -> RedisAddress:
    """Return the address of a Redis. Check what redis-py, which reads the rest, would ignore or repeat in an error."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise AddressError("must have a port from 1 to 65535") from None
    # An @ in a password must be written %40, but the last @ separates.
    location = parts.netloc.rpartition("@")[2]
    if parts.scheme == "unix":
        if location or parts.path in ("", "/"):
            raise AddressError("must name a socket by its whole path, such as unix:///run/redis.sock")
    elif _HOST.fullmatch(location) is None or port == 0:
        raise AddressError("must name one host as HOST or HOST:PORT; write @ in a password as %40")
    elif parts.path not in ("", "/") and not parts.path[1:].isdecimal():
        raise AddressError("may end with the number of a database, such as redis://127.0.0.1/1")
    account = f"{parts.username}@" if parts.username else ""
    return RedisAddress(
        f"{parts.scheme}://{account}{location}{parts.path}",
        _certificates(parts.scheme == "rediss", parts.query),
        None if parts.password is None else unquote(parts.password),
    )


def _certificates(tls: bool, query: str) -> Path | None:
    options = parse_qs(query, keep_blank_values=True)
    paths = options.pop("ca", None)
    if options or (paths is not None and not tls) or (query and not paths):
        raise AddressError("has an unknown option: only ?ca=FILE is known, with rediss://")
    return Path(paths[0]) if paths else None
