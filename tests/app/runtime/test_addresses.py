"""Network addresses: one spelling each, the network that counts as one client, and lists of networks."""

from __future__ import annotations

import ipaddress

import pytest

from noughts.app.runtime.addresses import MAX_SHOWN, enclosing_networks, is_loopback, network, plain, within


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
    assert network(address) == expected


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_this_machine(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["203.0.113.9", "::2", "128.0.0.1", "localhost", "", "unknown"])
def test_other_addresses_are_not_this_machine(address: str) -> None:
    assert not is_loopback(address)


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
