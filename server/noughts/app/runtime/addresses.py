"""Network addresses: one spelling for each, the networks that limits count, and the URLs of a server that listens."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: Final = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))
MAX_SHOWN: Final = 64
"""The most characters kept of text that is not an address."""
_cached: Final = lru_cache(maxsize=4096)
"""Each connection asks several times about its address, and an address takes 10 µs to parse."""


@_cached
def enclosing_networks(address: str) -> tuple[str, ...]:
    """Return the networks of an address that limits count, narrow ones first.

    An IPv4 address has one. An IPv6 address has three, because a provider gives a subscriber a /64, a /56 or a /48.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return (address,)
    if parsed.version == 4:
        return (address,)
    number = int(parsed)
    return tuple([f"{ipaddress.IPv6Address(number >> 128 - bits << 128 - bits)}/{bits}" for bits in (64, 56, 48)])


def plain(address: str) -> str:
    """Return an address in its one spelling: without a port, and an IPv4-mapped IPv6 address as the IPv4 address.

    Text that is no address stays unchanged, up to ``MAX_SHOWN`` characters.
    """
    return _plain(address.strip()[:MAX_SHOWN])  # a client may send a long text, which the cache must not hold


@_cached
def _plain(host: str) -> str:
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def is_address(text: str) -> bool:
    """Return whether a text is an address, in the spelling of ``plain``."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(address: str) -> bool:
    """Return whether this is an address of the machine itself."""
    return within(address, LOOPBACK)


def within(address: str, networks: tuple[Network, ...]) -> bool:
    """Return whether an address lies in one of the networks. Text that is no address lies in none."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return any((mapped or parsed) in network for network in networks)


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

SocketAddress: TypeAlias = tuple[str, int] | tuple[str, int, int, int]
"""An address of IPv4 or IPv6, as a socket names it."""


def local_url(address: SocketAddress) -> str:
    """Return the URL at which this machine finds a server. ``address`` begins with host and port."""
    host, port = address[:2]
    return _url(_ANY_ADDRESS[host].loopback if host in _ANY_ADDRESS else host, port)


def urls_for_others(addresses: Iterable[SocketAddress]) -> Iterator[str]:
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
