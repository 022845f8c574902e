"""The values of settings as they are typed."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any

import pytest

from noughts.app.runtime.config import load
from noughts.app.runtime.setting_values import SettingError
from noughts.store.address import RedisAddress


def setting(name: str, text: str) -> Any:
    """Return the value of one setting, given as a variable."""
    config, warnings = load({}, {f"NOUGHTS_{name.upper()}": text})
    assert warnings == ()
    return getattr(config, name)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        *(("open_metrics", text, True) for text in ("on", "ON", "1", "true", "True", "yes")),
        *(("chat", text, False) for text in ("off", "Off", "0", "false", "no")),
        *(("port", text, int(text)) for text in ("0", "65535", " 80 ")),
        ("log_format", "json", "json"),
        ("store_prefix", "club-1", "club-1"),
        ("store_password_file", "/run/secret", Path("/run/secret")),
        ("data", "/var/lib/noughts", Path("/var/lib/noughts")),
        ("store", "sqlite:/srv/noughts.db", Path("/srv/noughts.db")),
        ("store", "sqlite:x:y.db", Path("x:y.db")),
        (
            "trusted",
            "10.0.0.0/8, ::1,192.168.1.5/16 ,",
            tuple(ipaddress.ip_network(network) for network in ("10.0.0.0/8", "::1", "192.168.0.0/16")),
        ),
        ("public_url", "https://games.example.org", "https://games.example.org"),
        ("public_url", "http://localhost:3000", "http://localhost:3000"),
        ("public_url", "https://club.example.org/noughts/", "https://club.example.org/noughts/"),
        ("public_url", "http://[::1]:8000", "http://[::1]:8000"),
        ("webhook", "https://ntfy.example/games?template=yes&message=%7B%7B.text%7D%7D", None),
        ("webhook", "", ""),
        ("base_path", "/games", "/games"),
        ("base_path", "/games/", "/games"),
        ("base_path", "/a/b-c.d_e~f", "/a/b-c.d_e~f"),
        ("base_path", "/", ""),
        ("origins", "https://club.example.org", ("https://club.example.org",)),
        ("origins", "https://club.example.org/", ("https://club.example.org",)),
        ("origins", "HTTPS://Club.Example.ORG:443", ("https://club.example.org",)),
        ("origins", "http://localhost:80, https://a.example:80", ("http://localhost", "https://a.example:80")),
        ("origins", "http://localhost:3000,,", ("http://localhost:3000",)),
        ("origins", "chrome-extension://abc", ("chrome-extension://abc",)),
        ("origins", "http://[::1]:8000", ("http://[::1]:8000",)),
    ],
)
def test_a_text_has_a_value(name: str, text: str, value: object) -> None:
    assert setting(name, text) == (text if value is None else value)


def test_redis_is_a_store() -> None:
    address = setting("store", "redis://node:s3cret@redis.example/1")
    assert isinstance(address, RedisAddress)
    assert (address.url, address.password) == ("redis://node@redis.example/1", "s3cret")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("port", "x", "must be a whole number, not 'x'"),
        ("port", "1.5", "must be a whole number, not '1.5'"),
        ("port", "65536", "must be from 0 to 65535, not 65536"),
        ("workers", "-1", "must be from 0 to 64, not -1"),
        ("think_ms", "49", "must be from 50 to 60000, not 49"),
        ("guest_days", "0", "must be from 1 to 3650, not 0"),
        ("lobby", "maybe", "must be on or off, not 'maybe'"),
        ("trusted", "10.0.0.0/99", "must be addresses or networks, separated by commas, not '10.0.0.0/99'"),
        ("trusted", "localhost", "must be addresses or networks, separated by commas, not 'localhost'"),
        ("log_format", "xml", "must be one of text, json, not 'xml'"),
        ("log_level", "INFO", "must be one of debug, info, warning, error, not 'INFO'"),
    ],
)
def test_an_invalid_value_is_named_with_the_valid_ones(name: str, text: str, reason: str) -> None:
    flag, variable = f"--{name.replace('_', '-')}", f"NOUGHTS_{name.upper()}"
    for source, flags, variables in ((flag, {name: text}, {}), (variable, {}, {variable: text})):
        with pytest.raises(SettingError) as error:
            load(flags, variables)
        assert str(error.value) == f"{source} {reason}."


NO_URLS = [
    "games.example.org",
    "//games.example.org",
    "https://",
    "https:///path",
    "https://games.example.org:0",
    "https://games.example.org:99999",
    "https://games.example.org:x",
    "https://user@games.example.org",
    "https://games.example.org?x",
    "https://games.example.org#x",
    "https://games example.org",
    "https://games.example.org/\u200e",
    "https://[::1",
    "https://games.exa<mple.org",
    'https://games.example.org/"',
]
NO_PATHS = ["games", "//games", "/a//b", "/..", "/a/../b", "/.", "/a b", "/a?b", "/ä", "/a<b"]
NO_STORES = ["noughts.db", "sqlite:", "sqlite:///x.db", "SQLITE:x.db", "redis://:s3cret@a b"]
NO_ORIGINS = [*NO_URLS, "https://club.example.org/path", "https://clüb.example.org", "null", "*"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        *(
            ("webhook", text, "must be a URL")
            for text in ("?a=b", "ftp://a.example.org?b", "https://a.example.org?b=c d")
        ),
        *(("webhook", f"https://a.example.org?b{sign}c", "must be a URL without") for sign in '#"\x7f'),
        *(("public_url", text, "must be a URL that begins with http") for text in (*NO_URLS, "ftp://a.example.org")),
        *(("origins", f"https://fine.example, {text}", "must be scheme://host") for text in NO_ORIGINS),
        *(("base_path", text, "must be a path such as /games") for text in NO_PATHS),
        *(("store", text, "must ") for text in NO_STORES),
        *(("store_prefix", text, "must be 1 to 40 letters") for text in ("two words", "{tag}", "x" * 41)),
    ],
)
def test_another_text_has_none(name: str, text: str, message: str) -> None:
    """The address of a store may hold a password, so no message repeats it."""
    with pytest.raises(SettingError, match=rf"^NOUGHTS_{name.upper()} {message}") as error:
        setting(name, text)
    assert "s3cret" not in str(error.value)
