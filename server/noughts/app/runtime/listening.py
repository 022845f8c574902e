"""Where a server that listens can be opened: on this machine, and by others on the network."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple


class _AnyAddress(NamedTuple):
    """An address that stands for every address of the machine."""

    family: socket.AddressFamily
    loopback: str
    remote: str
    """An address for documentation (RFC 5737, RFC 3849), to which every route leads that leads to the internet."""


_ANY_ADDRESS: Final[Mapping[str, _AnyAddress]] = MappingProxyType(
    {
        "0.0.0.0": _AnyAddress(socket.AF_INET, "127.0.0.1", "192.0.2.1"),
        "::": _AnyAddress(socket.AF_INET6, "::1", "2001:db8::1"),
    }
)


def local_url(address: tuple[Any, ...]) -> str:
    """Return the URL at which this machine finds a server. ``address`` begins with host and port."""
    host, port = address[:2]
    return _url(_ANY_ADDRESS[host].loopback if host in _ANY_ADDRESS else host, port)


def urls_for_others(addresses: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield the URLs at which other machines find a server that listens on all addresses. None without a network."""
    for host, port, *_ in addresses:
        if host in _ANY_ADDRESS:
            own = own_address(host)
            if own is not None:
                yield _url(own, port)


def own_address(host: str) -> str | None:
    """Return this machine's address on the way to the internet; None without a network. ``host`` is 0.0.0.0 or ::.

    Nothing is sent: connecting a datagram socket only looks up the route.
    """
    family, _, remote = _ANY_ADDRESS[host]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((remote, 9))
            own = ipaddress.ip_address(probe.getsockname()[0])
    except (OSError, ValueError):
        return None
    local_only = own.is_loopback or own.is_unspecified or (own.version == 6 and own.is_link_local)
    return None if local_only else str(own)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
