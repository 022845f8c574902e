"""Network addresses: one spelling for each, the network that limits count as one client, and lists of networks."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Final, TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

LOOPBACK: Final = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))
MAX_SHOWN: Final = 64
"""The most characters kept of text that is not an address."""
_cached: Final = lru_cache(maxsize=4096)
"""Each connection asks several times about its address, and an address takes 10 µs to parse."""


@_cached
def network(address: str) -> str:
    """Return the network that limits count as one client: an IPv4 address, or the /64 of an IPv6 address.

    One IPv6 subscriber can use every address of a /64.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else f"{ipaddress.IPv6Address(int(parsed) >> 64 << 64)}/64"


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
