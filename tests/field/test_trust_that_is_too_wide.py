"""Containers on a bridge: the gateway was trusted, and behind it every visitor could claim any address or name."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from noughts.app.runtime.config import load
from noughts.app.runtime.trust import trust_warnings

DEPLOY = Path(__file__).parents[2] / "deploy"
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


@pytest.mark.parametrize("name", ["compose.yaml", "compose.scale.yaml"])
def test_the_shipped_files_trust_one_address_that_is_no_gateway(name: str) -> None:
    document = yaml.safe_load((DEPLOY / name).read_text())
    for service, node in document["services"].items():
        trusted = (node.get("environment") or {}).get("NOUGHTS_TRUSTED")
        if trusted is None:
            continue
        network = load({"trusted": trusted}, {})[0].trusted[0]
        assert network.num_addresses == 1, service
        assert not trusted.endswith(".1") or trusted == "127.0.0.1", service
