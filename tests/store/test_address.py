"""The addresses of stores: what they mean, what is wrong with others, and that no password is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.store.address import AddressError, RedisAddress, check_prefix, store_address


def test_a_file() -> None:
    assert store_address("sqlite:data/noughts.db") == Path("data/noughts.db")
    assert store_address("sqlite:/var/lib/noughts.db") == Path("/var/lib/noughts.db")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("redis://127.0.0.1", RedisAddress("redis://127.0.0.1")),
        ("redis://db.example:7000/3", RedisAddress("redis://db.example:7000/3")),
        ("redis://[::1]:7000", RedisAddress("redis://[::1]:7000")),
        (
            "rediss://noughts:s%40fe@db.example?ca=/etc/ca.pem",
            RedisAddress("rediss://noughts@db.example", Path("/etc/ca.pem"), "s@fe"),
        ),
        ("redis://:secret@db", RedisAddress("redis://db", password="secret")),
        ("unix:///run/redis.sock", RedisAddress("unix:///run/redis.sock")),
    ],
)
def test_redis(text: str, address: RedisAddress) -> None:
    assert store_address(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "noughts.db",
        "sqlite:",
        "sqlite://noughts.db",
        "postgres://db",
        "redis://",
        "redis://secret one@db host",
        "redis://a,b",
        "redis://a/one",
        "redis://a:0",
        "redis://a:70000",
        "redis://a?ca=/etc/ca.pem",
        "rediss://a?verify=no",
        "redis+sentinel://a,b/mymaster",
        "unix://",
        "unix://run/redis.sock",
        "redis+cluster://a,b",
        "redis+other://a",
        "redis://:se@cr@et@a,b",
    ],
)
def test_other_texts_are_errors_that_repeat_nothing(text: str) -> None:
    """The text may hold a password."""
    with pytest.raises(AddressError) as raised:
        store_address(text)
    assert "secret" not in str(raised.value)
    assert "se@cr" not in str(raised.value)


def test_no_text_of_an_address_shows_the_password() -> None:
    address = store_address("redis://noughts:secret@db:7000/1")
    assert "secret" not in f"{address} {address!r}"
    assert str(address) == "redis://noughts@db:7000/1"


@pytest.mark.parametrize("name", ["noughts", "club-1"])
def test_a_prefix_is_a_plain_word(name: str) -> None:
    assert check_prefix(name) == name


@pytest.mark.parametrize("name", ["", "two words", "{tag}", "quote'", "x" * 41, "a:b", "a/b"])
def test_other_texts_are_no_prefix(name: str) -> None:
    with pytest.raises(AddressError, match="must be 1 to 40 letters"):
        check_prefix(name)
