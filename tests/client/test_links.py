"""The URLs of servers, and the links of rooms."""

from __future__ import annotations

import pytest

from noughts.client.errors import ConnectError
from noughts.client.links import Link, parse_link, server_url, socket_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("https://example.org/games/", "https://example.org/games"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_a_server_has_a_url(text: str, url: str) -> None:
    assert server_url(text) == url


@pytest.mark.parametrize("text", ["", "127.0.0.1:8000", "ftp://example.org", "http://", "http://a:99999", "http://a:b"])
def test_other_text_is_no_url_of_a_server(text: str) -> None:
    with pytest.raises(ConnectError, match="is no URL of a server: name one such as"):
        server_url(text)


def test_the_socket_has_the_security_of_the_server() -> None:
    assert socket_url("http://127.0.0.1:8000") == "ws://127.0.0.1:8000/ws"
    assert socket_url("https://example.org/games") == "wss://example.org/games/ws"


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("EdEqJFfSvgmRMVpfIw", Link("EdEqJFfSvgmRMVpfIw", None, None)),
        ("http://a:8/r/x-Y_z", Link("x-Y_z", None, "http://a:8")),
        ("https://a/games/r/xyz/#i=s3cret", Link("xyz", "s3cret", "https://a/games")),
        ("https://a/r/xyz#other", Link("xyz", None, "https://a")),
    ],
)
def test_a_room_is_named_by_id_or_link(text: str, link: Link) -> None:
    assert parse_link(text) == link


@pytest.mark.parametrize("text", ["", "a b", "http://a/x/y", "http://a/r/", "/r/xyz", "http://a/r/x%2Fy", "ws://a/r/x"])
def test_other_text_is_no_link(text: str) -> None:
    with pytest.raises(ConnectError, match="is no link of a room"):
        parse_link(text)
