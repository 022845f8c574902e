"""Where a call comes from and what links begin with, without a server."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import make_mocked_request

from noughts.app import requests
from noughts.app.runtime.config import Config, SettingError, load

PROXY = Config(trusted=load({"trusted": "10.0.0.0/8, ::1"}, {})[0].trusted)


def asked(remote, **headers):
    request = make_mocked_request("GET", "/", {"Host": "games.example.org", **headers}).clone(remote=remote)
    request[requests.ADDRESS] = remote
    return request


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.9", None, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", " , 198.51.100.1 , ", "198.51.100.1"),
        ("10.0.0.1", "2001:DB8:0:0::9", "2001:db8::9"),
        ("10.0.0.1", "unknown", "unknown"),
        ("::1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:5678", "198.51.100.1"),
        ("10.0.0.1", "[2001:db8::9]:5678, 10.0.0.2:80", "2001:db8::9"),
        ("10.0.0.1", "[2001:db8::9]", "2001:db8::9"),
        ("10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::ffff:203.0.113.9", "198.51.100.1", "203.0.113.9"),
    ],
)
def test_the_address_is_what_the_outermost_trusted_proxy_saw(remote, forwarded, address):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert requests.client_address(asked(remote, **headers), PROXY) == address


def test_links_begin_as_the_request_came_or_as_set():
    assert requests.base_url(asked("203.0.113.9"), PROXY) == "http://games.example.org"
    https = {"X-Forwarded-Proto": "https"}
    assert requests.base_url(asked("203.0.113.9", **https), PROXY) == "http://games.example.org"
    assert requests.base_url(asked("10.0.0.1", **https), PROXY) == "https://games.example.org"
    assert (
        requests.base_url(asked("10.0.0.1", **{"X-Forwarded-Proto": "javascript"}), PROXY) == "http://games.example.org"
    )
    set_ = Config(public_url="https://club.example.org/noughts/")
    assert requests.base_url(asked("203.0.113.9"), set_) == "https://club.example.org/noughts"


def test_a_flag_goes_before_a_variable_and_a_wrong_value_is_named():
    config, warnings = load(
        {"port": "1"}, {"NOUGHTS_PORT": "2", "NOUGHTS_GRACE_MS": "", "NOUGHTS_NONSENSE": "1", "X": "1"}
    )
    assert (config.port, config.grace_ms) == (1, 30_000)
    assert [warning for warning in warnings if "NOUGHTS_NONSENSE" in warning] == list(warnings)
    for name, text in (
        ("port", "70000"),
        ("port", "x"),
        ("lobby", "maybe"),
        ("trusted", "10.0.0.0/99"),
        ("log_format", "xml"),
    ):
        with pytest.raises(SettingError, match=f"NOUGHTS_{name.upper()} must be"):
            load({}, {f"NOUGHTS_{name.upper()}": text})
