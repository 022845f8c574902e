"""The address of a store: a file, or Redis in one of three forms."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qs, unquote

Topology: TypeAlias = Literal["server", "sentinel"]

REDIS_PORT: Final = 6379
SENTINEL_PORT: Final = 26379

_SCHEME: Final = re.compile(r"(redis|rediss)(?:\+(sentinel))?://(.*)", re.DOTALL)
_MACHINE: Final = re.compile(r"\[([0-9a-fA-F:.]+)\](?::(\d+))?|([\w.-]+)(?::(\d+))?")
_NAME: Final = re.compile(r"[\w.-]+")
_PREFIX: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")

FORMS: Final = (
    "sqlite:PATH, redis://HOST, rediss://HOST or redis+sentinel://HOST,HOST/NAME, such as redis://127.0.0.1:6379"
)


class AddressError(ValueError):
    """The text is not the address of a store. The message never repeats the text, which may hold a password."""


class Endpoint(NamedTuple):
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where Redis is, and how to authenticate. Its text never shows the password.

    ``endpoints`` are one server, or the sentinels. ``name`` is the name of the primary that the sentinels
    know. ``certificates`` is a file with the certificates to trust with TLS; None trusts the system's.
    """

    topology: Topology
    endpoints: tuple[Endpoint, ...]
    name: str = ""
    database: int = 0
    tls: bool = False
    certificates: Path | None = None
    account: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        scheme = ("rediss" if self.tls else "redis") + ("" if self.topology == "server" else f"+{self.topology}")
        path = f"/{self.name}" if self.name else f"/{self.database}" if self.database else ""
        return f"{scheme}://{','.join(map(str, self.endpoints))}{path}"


StoreAddress: TypeAlias = Path | RedisAddress


def store_address(text: str) -> StoreAddress:
    """Return the path in ``sqlite:PATH``, or the address of Redis. Raise :class:`AddressError`."""
    scheme, separator, path = text.partition(":")
    if scheme == "sqlite":
        if not separator or not path or path.startswith("//"):
            raise AddressError("must be sqlite:PATH, such as sqlite:data/noughts.db")
        return Path(path)
    match = _SCHEME.fullmatch(text)
    if match is None:
        raise AddressError(f"must be {FORMS}")
    return _redis_address(match[1] == "rediss", match[2], match[3])


def check_prefix(name: str) -> str:
    """Return the prefix of all keys of an installation in Redis. Raise :class:`AddressError` for another text."""
    if _PREFIX.fullmatch(name) is None:
        raise AddressError("must be 1 to 40 letters, digits, dots, dashes or underscores")
    return name


def _redis_address(tls: bool, form: str | None, rest: str) -> RedisAddress:
    topology: Topology = "sentinel" if form == "sentinel" else "server"
    rest, _, query = rest.partition("?")
    # An @ in a password must be written %40, but the last @ separates.
    credentials, _, location = rest.rpartition("@")
    hosts, _, path = location.partition("/")
    endpoints = tuple(_endpoint(host, SENTINEL_PORT if form == "sentinel" else REDIS_PORT) for host in hosts.split(","))
    if topology == "server" and len(endpoints) > 1:
        raise AddressError("names several hosts: use redis+sentinel:// for more than one")
    account, separator, password = credentials.partition(":")
    return RedisAddress(
        topology,
        endpoints,
        name=_primary_name(path) if topology == "sentinel" else "",
        database=_database(topology, path),
        tls=tls,
        certificates=_certificates(tls, query),
        account=unquote(account) or None,
        password=unquote(password) if separator else None,
    )


def _endpoint(text: str, default_port: int) -> Endpoint:
    match = _MACHINE.fullmatch(text)
    if match is None:
        raise AddressError("must name hosts as HOST or HOST:PORT, separated by commas; write @ in a password as %40")
    port = int(match[2] or match[4] or default_port)
    if not 0 < port < 65_536:
        raise AddressError("must have ports from 1 to 65535")
    return Endpoint(match[1] or match[3], port)


def _primary_name(path: str) -> str:
    if not _NAME.fullmatch(path):
        raise AddressError("must end with the primary's name, such as redis+sentinel://10.0.0.1,10.0.0.2/mymaster")
    return path


def _database(topology: Topology, path: str) -> int:
    if topology == "sentinel" or not path:
        return 0
    if not path.isdecimal() or int(path) > 9_999:
        raise AddressError("may end with the number of a database, such as redis://127.0.0.1/1")
    return int(path)


def _certificates(tls: bool, query: str) -> Path | None:
    options = parse_qs(query, keep_blank_values=True)
    paths = options.pop("ca", None)
    if options or (paths is not None and not tls) or (query and not paths):
        raise AddressError("has an unknown option: only ?ca=FILE is known, with rediss://")
    return Path(paths[0]) if paths else None
