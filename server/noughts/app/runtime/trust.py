"""What an operator should know about the addresses that the server trusts, before a stranger does."""

from __future__ import annotations

import ipaddress
import socket
import struct
from pathlib import Path
from typing import Final

from noughts.app.runtime.addresses import LOOPBACK, is_loopback, within
from noughts.app.runtime.config import Config

WIDEST: Final = 8
"""How many addresses a trusted network may have without a warning: those of a /29."""
ROUTES: Final = Path("/proc/net/route")
ROUTES_6: Final = Path("/proc/net/ipv6_route")


def trust_warnings(config: Config, gateways: tuple[str, ...]) -> tuple[str, ...]:
    """Return the warnings about trusted networks. ``gateways`` are the addresses of the machine's default routes."""
    warnings = [
        f"NOUGHTS_TRUSTED has {network}, which is wider than a proxy: each machine in it may claim any address."
        for network in config.trusted
        if network.num_addresses > WIDEST and network not in LOOPBACK
    ]
    warnings += [
        f"NOUGHTS_TRUSTED has {gateway}, the default gateway. Behind rootless containers and some bridges all visitors come"
        " from there, and each of them could claim any address. Name the address of the proxy."
        for gateway in gateways
        if within(gateway, config.trusted)
    ]
    if config.name_header and not config.public_url.startswith("https://") and not is_loopback(config.host):
        warnings.append(
            "NOUGHTS_NAME_HEADER is on, and NOUGHTS_PUBLIC_URL does not begin with https://. Without TLS at the proxy,"
            " anybody on the way can take over a name."
        )
    return tuple(warnings)


def default_gateways() -> tuple[str, ...]:
    """Return the addresses of the default routes, as Linux lists them. Elsewhere there are none."""
    return (*_gateways(ROUTES), *_gateways_6(ROUTES_6))


def _gateways(routes: Path) -> list[str]:
    rows = [line.split() for line in _lines(routes)[1:]]
    return [
        socket.inet_ntoa(struct.pack("<I", int(row[2], 16)))
        for row in rows
        if len(row) > 2 and row[1] == "00000000" and int(row[2], 16)
    ]


def _gateways_6(routes: Path) -> list[str]:
    rows = [line.split() for line in _lines(routes)]
    gateways = [int(row[4], 16) for row in rows if len(row) > 4 and row[1] == "00" and int(row[0], 16) == 0]
    return [str(ipaddress.IPv6Address(gateway)) for gateway in gateways if gateway]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
