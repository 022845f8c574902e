"""Network addresses: one spelling each, the networks that limits count, and the URLs of a server that listens."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket

import pytest

from noughts.app.runtime.addresses import (
    MAX_SHOWN,
    enclosing_networks,
    is_loopback,
    local_url,
    own_address,
    plain,
    urls_for_others,
    within,
)
from tests.conftest import StartServer
from tests.support.player import Api


@pytest.mark.parametrize(
    ("address", "spelling"),
    [
        ("203.0.113.9", "203.0.113.9"),
        (" 203.0.113.9 ", "203.0.113.9"),
        ("203.0.113.9:5678", "203.0.113.9"),
        ("2001:DB8:0:0::9", "2001:db8::9"),
        ("[2001:db8::9]:5678", "2001:db8::9"),
        ("[2001:db8::9]", "2001:db8::9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("[::ffff:203.0.113.9]:80", "203.0.113.9"),
        ("unknown", "unknown"),
        ("", ""),
        ("x" * 1_000, "x" * MAX_SHOWN),
    ],
)
def test_an_address_has_one_spelling(address: str, spelling: str) -> None:
    assert plain(address) == spelling


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("no address", "no address"),
        ("", ""),
    ],
)
def test_a_subscriber_is_an_ipv4_address_or_a_64(address: str, expected: str) -> None:
    """A subscriber of IPv6 may use every address of a /64."""
    assert enclosing_networks(address)[0] == expected


def test_loopback_is_this_machine() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1")))
    assert not any(map(is_loopback, ("203.0.113.9", "::2", "128.0.0.1", "localhost", "", "unknown")))


def test_an_address_lies_in_a_network_or_not() -> None:
    networks = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fe80::/10"))
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "fe80::1", "fe80::1%eth0"):
        assert within(address, networks), address
    for address in ("11.1.2.3", "::ffff:11.1.2.3", "2001:db8::1", "10.1.2", "unknown"):
        assert not within(address, networks), address
    assert not within("10.1.2.3", ())


@pytest.mark.parametrize(
    ("address", "networks"),
    [
        ("203.0.113.9", ("203.0.113.9",)),
        ("2001:db8:1:234:5::9", ("2001:db8:1:234::/64", "2001:db8:1:200::/56", "2001:db8:1::/48")),
        ("no address", ("no address",)),
    ],
)
def test_limits_count_three_networks_of_an_ipv6_address(address: str, networks: tuple[str, ...]) -> None:
    assert enclosing_networks(address) == networks


class Probe:
    """A datagram socket that has the machine's address, or finds no network."""

    own: str | None = None

    def __init__(self, family: int, kind: int) -> None:
        self.family = family

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, remote: tuple[str, int]) -> None:
        assert (":" in remote[0]) == (self.family == socket.AF_INET6)
        if self.own is None:
            raise OSError("unreachable")

    def getsockname(self) -> tuple[str | None, int]:
        return self.own, 5


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("192.168.1.5", "http://192.168.1.5:8000"),
        ("2001:db8::5", "http://[2001:db8::5]:8000"),
    ],
)
def test_this_machine_finds_the_server(host: str, url: str) -> None:
    assert local_url((host, 8000, 0, 0)) == url


@pytest.mark.parametrize(
    ("host", "own", "urls"),
    [
        ("0.0.0.0", "192.168.1.5", ["http://192.168.1.5:8000"]),
        ("::", "2001:db8::5", ["http://[2001:db8::5]:8000"]),
        ("0.0.0.0", None, []),
        ("0.0.0.0", "127.0.0.1", []),
        ("0.0.0.0", "0.0.0.0", []),
        ("0.0.0.0", "nonsense", []),
        ("::", "fe80::5%eth0", []),
        ("127.0.0.1", "192.168.1.5", []),
        ("192.168.1.5", "192.168.1.5", []),
    ],
)
def test_others_are_given_a_url_that_they_can_open(
    monkeypatch: pytest.MonkeyPatch, host: str, own: str | None, urls: list[str]
) -> None:
    monkeypatch.setattr(socket, "socket", Probe)
    monkeypatch.setattr(Probe, "own", own)
    assert list(urls_for_others([(host, 8000)])) == urls


@pytest.mark.parametrize("public_url", ["", "http://localhost:1"])
async def test_a_server_on_all_addresses_prints_a_url_for_others(start_server: StartServer, public_url: str) -> None:
    """Not if it has a public URL."""
    server = start_server(host="0.0.0.0", public_url=public_url)  # ready: the first URL printed is this machine's own
    own = None if public_url else own_address("0.0.0.0")
    urls = [] if own is None else [f"http://{own}:{server.port}"]
    for url in urls:
        assert await Api(url).get("/healthz")
    assert await asyncio.to_thread(server.stop) == 0
    assert re.findall("For others on your network: (.+)", server.log) == urls
