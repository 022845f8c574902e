"""Containers on a bridge: the gateway was trusted, and behind it every visitor could claim any address or name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from noughts.app.runtime.config import load
from noughts.app.runtime.trust import trust_warnings

DEPLOY = Path(__file__).parents[2] / "deploy"
TRUSTED = re.compile(r"""NOUGHTS_TRUSTED(?::|, value:) *"?([\d./:a-f,]+)""")
SIGN_ON = {"name_header": "Remote-User", "host": "0.0.0.0", "trusted": "10.1.2.3"}


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"trusted": "10.0.0.0/8"}, "wider than a proxy"),
        ({"trusted": "10.1.2.0/28"}, "wider than a proxy"),
        ({"trusted": "172.30.80.1"}, "the default gateway"),
        ({"trusted": "fe80::1"}, "the default gateway"),
        (SIGN_ON, "Without TLS at the proxy"),
    ],
)
def test_the_start_warns(settings: dict[str, str], text: str) -> None:
    warnings = trust_warnings(load(settings, {})[0], ("172.30.80.1", "fe80::1"))
    assert [text in warning for warning in warnings] == [True]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"trusted": "127.0.0.0/8,::1"},
        {"trusted": "10.1.2.0/29"},
        SIGN_ON | {"public_url": "https://games.example.org"},
    ],
)
def test_a_trusted_proxy_is_no_reason_to_warn(settings: dict[str, str]) -> None:
    assert trust_warnings(load(settings, {})[0], ("172.30.80.1",)) == ()


@pytest.mark.parametrize("path", sorted(DEPLOY.rglob("*.yaml")), ids=lambda path: path.name)
def test_the_shipped_files_trust_one_address_that_is_no_gateway(path: Path) -> None:
    """The gateway of a bridge is its first address. A file that trusts nobody is safe too."""
    for trusted in TRUSTED.findall(path.read_text()):
        for network in load({"trusted": trusted}, {})[0].trusted:
            assert network.num_addresses == 1, trusted
            assert network.is_loopback or not str(network.network_address).endswith(".1"), trusted


def test_the_proxy_has_the_address_that_is_trusted() -> None:
    document = yaml.safe_load((DEPLOY / "compose.scale.yaml").read_text())
    (proxy,) = [service for service in document["services"].values() if "ports" in service]
    address = proxy["networks"]["inside"]["ipv4_address"]
    assert TRUSTED.findall((DEPLOY / "compose.scale.yaml").read_text()) == [address]
