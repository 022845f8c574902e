"""``noughts rooms``, ``close`` and ``ban``: the operator at the command line of the same machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import stat
import sys
from types import SimpleNamespace

import pytest

from noughts.app import cli
from noughts.engine.prove import Proof
from noughts.engine.verdict import Verdict
from tests.support.player import WAIT_S, Api, connect, guest
from tests.support.rooms import pair


async def noughts(*arguments):
    """Exit status and output of a command."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "noughts.app.cli", *map(str, arguments),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(WAIT_S):
        told, _ = await process.communicate()
    return process.returncode, told.decode()


async def test_rooms_are_listed_and_closed(start_server):
    server = start_server()
    data = ("--data", server.data)
    assert await noughts("rooms", *data) == (0, (await noughts("rooms", *data))[1])
    async with pair(server) as table:
        status, told = await noughts("rooms", *data)
        assert status == 0
        assert table.id in told
        assert "Ann, Ben" in told
        assert "1 rooms" in told
        assert await noughts("close", table.id, *data) == (0, f"closed {table.id}\n")
        assert await table.x.closed() == 4410
        assert table.x.room["phase"] == "closed"
    status, told = await noughts("close", table.id, *data)
    assert (status, told.startswith("noughts: There is no such room")) == (2, True)
    assert "0 rooms" in (await noughts("rooms", *data))[1]


async def test_an_address_is_banned_and_let_in_again(start_server):
    server = start_server()
    data = ("--data", server.data)
    assert await noughts("ban", *data) == (0, "nobody is banned\n")
    async with connect(server.ws_url, {"lobby": True}) as socket:
        await socket.until(lambda m: m["type"] == "lobby")
        assert await noughts("ban", "127.0.0.1", *data) == (0, "127.0.0.1\n")
        assert await socket.closed() == 1008  # who is here has to go
    status, answer = await Api(server.url).call("GET", "/api/variants")
    assert (status, answer["error"]["code"]) == (403, "forbidden")
    server.kill()
    server.start()  # it is kept
    assert (await Api(server.url).call("GET", "/api/variants"))[0] == 403
    assert await noughts("ban", "127.0.0.1", "--lift", *data) == (0, "nobody is banned\n")
    assert (await Api(server.url).call("GET", "/api/variants"))[0] == 200
    status, told = await noughts("ban", "everybody", *data)
    assert (status, told.startswith("noughts: Name one address")) == (2, True)


async def test_only_the_operator_may(start_server):
    server = start_server()
    ann = await guest(server.url)
    for api in (ann, Api(server.url), Api(server.url, "wrong")):
        for method, path in (("GET", "rooms"), ("POST", "rooms/x/close"), ("GET", "bans"), ("POST", "bans")):
            status, _ = await api.call(method, f"/operator/{path}", None if method == "GET" else {"address": "::1"})
            assert status == 401
    secret = server.data / "operator.json"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert await asyncio.to_thread(server.stop) == 0
    assert not secret.exists()
    status, told = await noughts("rooms", "--data", server.data)
    assert (status, told.startswith("noughts: no server runs on ")) == (2, True)


async def test_a_server_that_was_killed_is_not_asked(start_server):
    server = start_server()
    server.kill()
    status, told = await noughts("rooms", "--data", server.data)
    assert (status, told.count("\n")) == (2, 1)
    assert "does not answer" in told


@pytest.mark.parametrize("arguments", [("--help",), ("serve", "--help"), ("--version",), ("settings",)])
async def test_help_is_there(arguments):
    status, told = await noughts(*arguments)
    assert status == 0
    assert "noughts" in told.lower()


@pytest.mark.parametrize(
    "arguments",
    [("serve", "--grace", "5"), ("rooms", "--dat", "."), ("close", "x", "--dat", "."), ("ban", "--lif"), ("--vers",)],
)
def test_a_flag_is_taken_by_its_whole_name_only(arguments, capsys):
    with pytest.raises(SystemExit) as told:
        cli._parser().parse_args(arguments)
    assert told.value.code == 2
    refused = capsys.readouterr().err
    assert "unrecognized arguments: --" in refused or "the following arguments are required" in refused


def test_a_proof_shows_what_it_counts_once_a_second(monkeypatch, capsys):
    now_s = 1_000.0

    def proving(variant, clock, show):
        nonlocal now_s
        for done, total, at_s in ((1, 10, 0.1), (10, 82, 1.2), (82, 300, 1.9), (300, 5_478, 2.2)):
            now_s = 1_000.0 + at_s
            show(done, total)
        return Proof("classic", "All of it.", Verdict("draw", None, "exact"), 5_478, 2.2, "hash")

    monkeypatch.setattr(cli, "prove", proving)
    monkeypatch.setattr(cli, "time", SimpleNamespace(monotonic=lambda: now_s))
    assert cli.main(["prove", "classic"]) == 0
    told = capsys.readouterr()
    assert told.err == "  10 of 82 positions found so far\n  300 of 5,478 positions found so far\n"
    assert told.out.endswith("5,478 positions, 2.2 s, table hash\n")


NO_ROOM = "noughts: There is no such room here: see `noughts rooms`.\n"
NO_ADDRESS = "noughts: Name one address, such as 203.0.113.9 or 2001:db8::9.\n"


async def test_whatever_is_typed_for_a_room_or_an_address_is_answered_in_a_line(start_server, capsys):
    server = start_server()

    async def said(*arguments):
        status = await asyncio.to_thread(cli.main, [*arguments, "--data", str(server.data)])
        return status, "".join(capsys.readouterr())

    async with pair(server) as table:
        for typed in ("nope", "a b", "../x y", "..", "é", os.fsdecode(b"\xff"), "x?y#z", "%", f"{table.id}/", "", "\n"):
            assert await said("close", typed) == (2, NO_ROOM), typed
        status, told = await said("close", "x" * 10_000)
        assert (status, told.startswith("noughts: "), told.count("\n")) == (2, True, 1)
        for typed in ("é", os.fsdecode(b"\xff"), "", "a b", "10.0.0.0/8", "127.0.0.1:80", "\n"):
            for lift in ((), ("--lift",)):
                status, told = await said("ban", typed, *lift)
                assert (status, told.startswith("noughts: "), told.count("\n")) == (2, True, 1), typed
        assert await said("ban", "a b") == (2, NO_ADDRESS)
        missing = "noughts: say which address to let in again: noughts ban --lift 203.0.113.9.\n"
        assert await said("ban", "--lift") == (2, missing)
        assert (await table.view())["phase"] == "playing"


async def test_another_program_on_the_port_is_no_server(tmp_path):
    async def answer(reader, writer):
        with contextlib.suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(told)
            await writer.drain()
        writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        (tmp_path / "operator.json").write_text(json.dumps({"url": f"http://127.0.0.1:{port}", "token": "x"}))
        for told in (b"SSH-2.0\r\n", b"HTTP/1.0 200 OK\r\n\r\n<p>", b"HTTP/1.0 404 No\r\nContent-Length: 9\r\n\r\n<p>"):
            status, line = await noughts("rooms", "--data", tmp_path)
            assert (status, line.startswith("noughts: the server "), line.count("\n")) == (2, True, 1), told


# --- where the server is to be found --------------------------------------------------------------------------------


class Probe:
    """A datagram socket that knows the machine's address, or that there is no network."""

    own: str | None = None

    def __init__(self, family, kind):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def connect(self, far):
        if self.own is None:
            raise OSError("unreachable")

    def getsockname(self):
        return (self.own, 5)


@pytest.mark.parametrize(
    ("listening", "own", "told"),
    [
        ("0.0.0.0", "192.168.1.5", ["http://192.168.1.5:8000"]),
        ("::", "2001:db8::5", ["http://[2001:db8::5]:8000"]),
        ("0.0.0.0", None, []),
        ("0.0.0.0", "127.0.0.1", []),
        ("0.0.0.0", "0.0.0.0", []),
        ("::", "fe80::5%eth0", []),
        ("127.0.0.1", "192.168.1.5", []),
        ("192.168.1.5", "192.168.1.5", []),
    ],
)
def test_others_are_told_an_address_that_they_can_open(monkeypatch, listening, own, told):
    monkeypatch.setattr(cli.socket, "socket", Probe)
    monkeypatch.setattr(Probe, "own", own)
    assert list(cli._addresses_for_others(SimpleNamespace(addresses=[(listening, 8000)]))) == told


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    "every", ["0.0.0.0", pytest.param("::", marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here"))]
)
async def test_who_listens_on_every_address_says_where_others_find_it(start_server, every):
    server = start_server(host=every)  # ready means that the first address printed is this machine's own
    assert await Api(server.url).get("/healthz")
    own = cli._own_address(every)
    if own is not None:
        async with asyncio.timeout(WAIT_S):
            assert await Api(cli._url(own, server.port)).get("/healthz")
    assert await asyncio.to_thread(server.stop) == 0
    others = [] if own is None else [cli._url(own, server.port)]
    assert re.findall("For others on your network: (.+)", server.log) == others


async def test_who_has_a_public_address_names_no_other(start_server):
    server = start_server(host="0.0.0.0", public_url="http://localhost:1")
    assert await asyncio.to_thread(server.stop) == 0
    assert "others" not in server.log
