"""The edges: control frames, what follows a Close frame, calls without end, a server that is killed."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
import time
from pathlib import Path

import pytest
from aiohttp import WSMessage, WSMsgType, web
from aiohttp.test_utils import make_mocked_request
from noughts.app.connection import FULL_BYTES, Connection, text_frame
from noughts.app.sockets import Sockets
from noughts.app.web import Server
from noughts.store.sqlite_store import SqliteStore

from noughts.app import requests
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import CALLS, MESSAGES, Limits
from noughts.app.runtime.telemetry import Metrics
from noughts.errors import Rejection
from noughts.store.contract import StoreUnavailableError
from tests.support.player import WAIT_S, connect, guest


class Wire:
    """The two ends that a connection has: what is written, and a WebSocket that receives what a test says."""

    def __init__(self, *messages):
        self.written = []
        self.ponged = []
        self.closed = []
        self.unread = 0
        self.messages = [*messages, WSMessage(WSMsgType.CLOSED, None, None)]

    def write(self, data):
        self.written.append(bytes(data))

    def get_write_buffer_size(self):
        return self.unread

    def is_closing(self):
        return False

    def abort(self):
        self.closed.append(None)

    async def receive(self):
        return self.messages.pop(0)

    async def pong(self, payload):
        self.ponged.append(payload)

    async def close(self, *, code, message):
        self.written.append(b"\x88")
        self.closed.append(code)
        await self.answer_to_close()

    async def answer_to_close(self):
        """Whatever happens until the client answers."""


class Room:
    """So much of a host as a pong concerns."""

    measured = 0

    def network_measured(self):
        self.measured += 1


def connected(*messages):
    wire = Wire(*messages)
    return wire, Connection(wire, wire, "203.0.113.9", 0.0)


def sockets(*, limits=True):
    return Sockets(None, None, None, Limits(off=not limits), Metrics(), ())


def pong(payload):
    return WSMessage(WSMsgType.PONG, payload, None)


# --- pings and pongs ------------------------------------------------------------------------------------------------


async def test_the_network_is_measured_by_the_server_and_never_claimed_by_the_client():
    now_ns = time.monotonic_ns()
    moments = [pong(max(0, now_ns - 10**9 * s).to_bytes(8, "big")) for s in range(60)]
    wire, connection = connected(*moments, pong(b""), pong(b"x" * 125))
    room = Room()
    await sockets()._listen(connection, room)
    assert (connection.rtt_ms, room.measured) == (0, 0)
    assert not wire.messages


async def test_a_ping_has_one_answer():
    wire, connection = connected()
    room = Room()
    connection.ping(100.0)
    connection.ping(105.0)  # not before the first is answered
    (asked,) = wire.written
    assert asked[:2] == b"\x89\x08"
    assert not connection.answered(b"x" * 8, 100.01)
    assert connection.answered(asked[2:], 100.25)
    assert connection.rtt_ms == 250
    assert not connection.answered(asked[2:], 130.0)
    assert connection.rtt_ms == 250
    connection.ping(140.0)
    assert wire.written[1][2:] != asked[2:]
    wire.messages[:0] = [pong(asked[2:]), pong(wire.written[1][2:]), pong(wire.written[1][2:])]
    await sockets()._listen(connection, room)
    assert room.measured == 1


@pytest.mark.parametrize("greeted", [False, True])
async def test_pings_beyond_the_credit_are_not_answered(greeted):
    flood = [WSMessage(WSMsgType.PING, b"%d" % n, None) for n in range(1_000)]
    served = sockets()
    wire, connection = connected(*flood)
    await (served._listen(connection, None) if greeted else served._hello(connection))
    assert MESSAGES.rate.burst <= len(wire.ponged) < MESSAGES.rate.burst + 100
    wire, connection = connected(*flood)
    await sockets(limits=False)._listen(connection, None)
    assert len(wire.ponged) == 1_000


# --- the end --------------------------------------------------------------------------------------------------------


async def test_nothing_follows_our_close_frame():
    wire, connection = connected()

    async def meanwhile():
        connection.send(b"{}")
        connection.push(text_frame(b"{}"), "view")
        connection.ping(1.0)
        await asyncio.sleep(0)  # what is pushed is written at the end of a turn
        await asyncio.sleep(0)

    wire.answer_to_close = meanwhile
    connection.send(b"[]")
    await connection.close(1008, "why")
    assert wire.written == [text_frame(b"[]"), b"\x88"]
    assert not connection.gone  # which would count as cut for not reading


async def test_what_waited_for_a_slow_client_is_not_sent_after_the_close_frame():
    wire, connection = connected()
    wire.unread = FULL_BYTES
    connection.send(b"[]")  # it waits

    async def meanwhile():
        wire.unread = 0  # it reads again
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    wire.answer_to_close = meanwhile
    await connection.close(1008, "why")
    assert wire.written == [b"\x88"]


# --- nobody there ---------------------------------------------------------------------------------------------------


def asking():
    """The tasks that ask clients for a sign of life."""
    return [task for task in asyncio.all_tasks() if "keep_alive" in str(task.get_coro())]


async def test_nobody_is_asked_for_a_sign_of_life_where_nobody_is(tmp_path, monkeypatch):
    monkeypatch.setattr("noughts.app.sockets._PING_TIMED_S", 0.01)
    served = Server(Config(data=tmp_path, workers=1), SqliteStore(tmp_path / "noughts.db"))
    runner = web.AppRunner(served.application(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = "ws://{}:{}/ws".format(*runner.addresses[0])
        for _ in range(2):
            assert asking() == []
            async with connect(url, {"lobby": True}) as first, connect(url, {"lobby": True}) as second:
                await first.receive()
                await second.receive()
                assert len(asking()) == 1
            await becomes(lambda: not asking())
    finally:
        await runner.cleanup()


# --- calls without end ----------------------------------------------------------------------------------------------


def asked(path, remote="203.0.113.9", **headers):
    return make_mocked_request("GET", path, headers).clone(remote=remote)


async def refusals(calls):
    """How many of these calls were refused for their number."""
    around = requests.middleware(Config(), Limits(off=False), Metrics(), set())

    async def handler(request):
        return web.Response()

    return [(await around(call, handler)).status for call in calls].count(429)


@pytest.mark.parametrize("path", ["/", "/ws", "/r/nowhere", "/metrics", "/robots.txt", "/nowhere", "/api/variants"])
async def test_every_call_is_counted(path):
    calls = 3 * int(CALLS.rate.burst)
    assert 0 < await refusals([asked(path)] * calls) <= calls - CALLS.rate.burst


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/static/js/main.js", "/favicon.ico", "/operator/rooms"])
async def test_what_costs_nothing_is_free(path):
    assert await refusals([asked(path)] * 3 * int(CALLS.rate.burst)) == 0


@pytest.mark.parametrize(
    ("addresses", "one"),
    [
        ([f"2001:db8::{n:x}" for n in range(1_200)], True),
        ([f"2001:db8:0:1:{n:x}:{n:x}::" for n in range(1_200)], True),
        ([f"::ffff:203.0.113.{n % 3}" if n % 2 else f"203.0.113.{n % 3}" for n in range(1_800)], True),
        ([f"2001:db8:0:{n:x}::1" for n in range(1_200)], False),
        ([f"203.0.{n // 250}.{n % 250}" for n in range(1_200)], False),
    ],
)
async def test_a_subscriber_of_ipv6_counts_as_one(addresses, one):
    call = asked("/api/variants")
    assert (await refusals([call.clone(remote=address) for address in addresses]) > 0) is one


async def test_connections_are_counted_by_subscriber_too(monkeypatch):
    monkeypatch.setattr("noughts.app.sockets.MAX_SOCKETS_OF_ADDRESS", 1)
    served = sockets()
    served._of_address["2001:db8::/64"] = 1
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade"}
    with pytest.raises(Rejection, match="too many connections"):
        await served.handle(asked("/ws", **upgrade), "2001:db8::9")


@pytest.mark.parametrize("named", ["203.0.113.9", "::ffff:203.0.113.9"])
async def test_a_ban_is_of_a_single_address(named):
    banned = {"2001:db8::9", str(ipaddress.ip_address(named))}
    around = requests.middleware(Config(), Limits(off=False), Metrics(), banned)

    async def handler(request):
        return web.Response()

    addresses = ("2001:db8::9", "2001:db8::a", "203.0.113.9", "::ffff:203.0.113.9", "203.0.113.8", "unknown")
    told = [(await around(asked("/", address), handler)).status for address in addresses]
    assert told == [403, 200, 403, 403, 200, 200]
    served = sockets()
    here = [connected() for _ in range(2)]
    here[1][1].address = "203.0.113.8"
    served._all = {connection: None for _, connection in here}
    await served.turn_out(str(ipaddress.ip_address(named)))
    assert [wire.closed for wire, _ in here] == [[1008], []]


class Disk:
    """So much of a store as is asked whether it can write."""

    def __init__(self):
        self.pings = 0
        self.fails = False

    async def ping(self):
        self.pings += 1
        await asyncio.sleep(0)
        if self.fails:
            raise StoreUnavailableError("no")


async def test_whether_it_is_ready_costs_one_write_however_many_ask(tmp_path):
    disk = Disk()
    server = Server(Config(data=tmp_path), disk)
    server._ready = True

    async def ready():
        request = asked("/readyz")
        request[requests.ADDRESS] = "203.0.113.9"
        return (await server._readyz(request)).status

    disk.fails = True
    assert set(await asyncio.gather(*[ready() for _ in range(50)])) == {503}
    assert disk.pings == 1
    disk.fails = False
    assert await ready() == 200  # that it was not ready a moment ago says nothing
    assert set(await asyncio.gather(*[ready() for _ in range(50)])) == {200}
    assert disk.pings == 2
    server._stored_until_s = 0.0  # a second later
    disk.fails = True
    assert await ready() == 503
    assert disk.pings == 3


# --- a server that is killed ----------------------------------------------------------------------------------------


def lives(pid):
    """Whether a process runs; one that has ended may wait to be asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def searching(pid):
    """The search processes of a server."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child) for child in children if b"noughts.app.search.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


async def becomes(wanted):
    async with asyncio.timeout(WAIT_S):
        while not wanted():  # noqa: ASYNC110 - nothing tells us that a stranger's child has ended
            await asyncio.sleep(0.02)


async def test_the_search_processes_of_a_server_that_is_killed_end_too(start_server):
    server = start_server(workers=2)
    ann = await guest(server.url)
    await ann.get("/api/analysis?variant=classic&moves=b2")  # one of them has worked
    await becomes(lambda: len(searching(server.pid)) == 2)
    pids = searching(server.pid)
    os.kill(server.pid, signal.SIGKILL)  # it alone
    await becomes(lambda: not any(map(lives, pids)))
