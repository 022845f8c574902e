"""Where a server can be opened, on machines with and without a network."""

from __future__ import annotations

import asyncio
import re
import socket

import pytest

from noughts.app.runtime.listening import local_url, own_address, urls_for_others
from tests.conftest import StartServer
from tests.support.player import Api


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


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    "host", ["0.0.0.0", pytest.param("::", marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here"))]
)
async def test_a_server_on_all_addresses_prints_a_url_for_others(start_server: StartServer, host: str) -> None:
    server = start_server(host=host)  # ready means that the first URL printed is this machine's own
    assert await Api(server.url).get("/healthz")
    own = own_address(host)
    urls = [] if own is None else [f"http://[{own}]:{server.port}" if ":" in own else f"http://{own}:{server.port}"]
    for url in urls:
        assert await Api(url).get("/healthz")
    assert await asyncio.to_thread(server.stop) == 0
    assert re.findall("For others on your network: (.+)", server.log) == urls


async def test_a_server_with_a_public_url_prints_no_other(start_server: StartServer) -> None:
    server = start_server(host="0.0.0.0", public_url="http://localhost:1")
    assert await asyncio.to_thread(server.stop) == 0
    assert "others" not in server.log
