"""``noughts rooms``, ``close`` and ``ban``: the operator at the command line of the same machine."""

from __future__ import annotations

import asyncio
import stat
import sys

import pytest

from noughts.app import cli
from tests.app.tables import pair
from tests.player import WAIT_S, Api, connect, guest


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
