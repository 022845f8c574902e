"""What each kind of setting accepts, and what it says about another text."""

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


@pytest.mark.parametrize("text", ["on", "ON", "1", "true", "True", "yes"])
def test_a_switch_is_on(text: str) -> None:
    assert setting("open_metrics", text) is True


@pytest.mark.parametrize("text", ["off", "Off", "0", "false", "no"])
def test_a_switch_is_off(text: str) -> None:
    assert setting("chat", text) is False


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("65535", 65_535), (" 80 ", 80)])
def test_a_whole_number_may_have_the_bounds(text: str, number: int) -> None:
    assert setting("port", text) == number


def test_a_word_is_one_of_those_listed() -> None:
    assert setting("log_format", "json") == "json"


def test_paths_are_paths() -> None:
    assert setting("store_password_file", "/run/secret") == Path("/run/secret")
    assert setting("data", "/var/lib/noughts") == Path("/var/lib/noughts")
    assert setting("store", "sqlite:/srv/noughts.db") == Path("/srv/noughts.db")
    assert setting("store", "sqlite:x:y.db") == Path("x:y.db")


def test_trusted_proxies_are_addresses_or_networks() -> None:
    assert setting("trusted", "10.0.0.0/8, ::1,192.168.1.5/16 ,") == (
        ipaddress.ip_network("10.0.0.0/8"),
        ipaddress.ip_network("::1"),
        ipaddress.ip_network("192.168.0.0/16"),
    )


@pytest.mark.parametrize(
    "url",
    ["https://games.example.org", "http://localhost:3000", "https://club.example.org/noughts/", "http://[::1]:8000"],
)
def test_a_public_url_is_unchanged(url: str) -> None:
    assert setting("public_url", url) == url


@pytest.mark.parametrize(
    ("text", "path"), [("/games", "/games"), ("/games/", "/games"), ("/a/b-c.d_e~f", "/a/b-c.d_e~f"), ("/", "")]
)
def test_a_base_path_has_no_slash_at_its_end(text: str, path: str) -> None:
    assert setting("base_path", text) == path


@pytest.mark.parametrize("text", ["games", "//games", "/a//b", "/..", "/a/../b", "/.", "/a b", "/a?b", "/ä", "/a<b"])
def test_other_texts_are_no_base_path(text: str) -> None:
    with pytest.raises(SettingError, match=r"^NOUGHTS_BASE_PATH must be a path such as /games"):
        setting("base_path", text)


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://club.example.org", ("https://club.example.org",)),
        ("https://club.example.org/", ("https://club.example.org",)),
        ("HTTPS://Club.Example.ORG:443", ("https://club.example.org",)),
        ("http://localhost:80, https://a.example:80", ("http://localhost", "https://a.example:80")),
        ("http://localhost:3000,,", ("http://localhost:3000",)),
        ("chrome-extension://abc", ("chrome-extension://abc",)),
        ("http://[::1]:8000", ("http://[::1]:8000",)),
    ],
)
def test_origins_are_kept_as_browsers_write_them(text: str, origins: tuple[str, ...]) -> None:
    assert setting("origins", text) == origins


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


@pytest.mark.parametrize("text", ["noughts.db", "sqlite:", "sqlite:///x.db", "SQLITE:x.db", "redis://:s3cret@a b"])
def test_a_store_that_does_not_exist(text: str) -> None:
    """The text may hold a password, so no message repeats it."""
    with pytest.raises(SettingError, match=r"^NOUGHTS_STORE must ") as error:
        setting("store", text)
    assert "s3cret" not in str(error.value)


def test_redis_is_a_store() -> None:
    address = setting("store", "redis://node:s3cret@redis.example/1")
    assert isinstance(address, RedisAddress)
    assert (address.account, address.password, address.database) == ("node", "s3cret", 1)


@pytest.mark.parametrize("text", ["two words", "{tag}", "x" * 41])
def test_a_prefix_is_one_plain_word(text: str) -> None:
    with pytest.raises(SettingError, match=r"^NOUGHTS_STORE_PREFIX must be 1 to 40 letters"):
        setting("store_prefix", text)
    assert setting("store_prefix", "club-1") == "club-1"


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


@pytest.mark.parametrize("text", [*NO_URLS, "ftp://games.example.org"])
def test_a_public_url_that_is_none(text: str) -> None:
    with pytest.raises(SettingError, match=r"^NOUGHTS_PUBLIC_URL must be a URL that begins with http"):
        setting("public_url", text)


@pytest.mark.parametrize("text", [*NO_URLS, "https://club.example.org/path", "https://clüb.example.org", "null", "*"])
def test_an_origin_that_is_none(text: str) -> None:
    with pytest.raises(SettingError, match=r"^NOUGHTS_ORIGINS must be scheme://host"):
        setting("origins", f"https://fine.example, {text}")
