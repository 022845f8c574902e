"""Very many requests of one kind from one address, as fast as the server answers them, in a process of their own.

Its last line counts the answers of each kind: HTTP statuses, codes of commands, close codes, and ``cut`` for a connection
that ended without an answer.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import resource
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final

import aiohttp
import websockets

from tests.attacks.attacker import Target, attacking
from tests.support.player import Socket, connect
from tests.support.raw_websocket import handshake

AT_ONCE: Final = 20
"""Requests that wait for their answer at a time. So many guests take part, too."""
ADDRESSES: Final = 64
GUESTS_OF_ADDRESS: Final = 8
"""Where the server is filled: a guest may make 64 rooms at once, and an address 400."""
ROOMS_AT_ONCE: Final = 2
ROOMS_OF_GUEST: Final = 16
ROOM: Final = {"variant": "classic", "opponent": "friend"}
CUT: Final = (OSError, EOFError, aiohttp.ClientError, websockets.WebSocketException)


class Attacker:
    """One address of a client. ``answers`` counts what it was answered in the burst."""

    def __init__(self, url: str, address: str, session: aiohttp.ClientSession) -> None:
        self.target = Target(url)
        self.local = {"local_addr": (address, 0)}
        self.address = address
        self.answers: Counter[str] = Counter()
        self.session = session

    async def call(self, method: str, path: str, body: object, token: str = "") -> tuple[int, Any]:
        """Return the status of a request, and the body of the answer."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = self.target.url + path
        async with self.session.request(method, url, json=body, headers=headers) as answer:
            return answer.status, await answer.json()

    async def guest(self) -> str:
        """Make a guest. Return the token."""
        _, body = await self.call("POST", "/api/players", {})
        return str(body["token"])

    async def guests(self) -> list[str]:
        """Make guests for a burst. Return their tokens."""
        return [await self.guest() for _ in range(AT_ONCE)]

    async def room(self, token: str) -> str:
        """Make a room. Return its id."""
        _, body = await self.call("POST", "/api/rooms", ROOM, token)
        return str(body["room"]["id"])

    def enter(self, room: str, token: str) -> AbstractAsyncContextManager[Socket]:
        """Connect to a room."""
        return connect(self.target.ws_url, {"room": room, "token": token}, **self.local)

    async def repeat(self, count: int, once: Callable[[int], Awaitable[str]]) -> None:
        """Do something ``count`` times, some at a time, and count the answers."""
        numbers = iter(range(count))

        async def some() -> None:
            for number in numbers:
                try:
                    self.answers[await once(number)] += 1
                except CUT:
                    self.answers["cut"] += 1

        await asyncio.gather(*[some() for _ in range(AT_ONCE)])


async def handshakes(attacker: Attacker, count: int) -> None:
    """Open sockets that never say hello, and hold them until all were opened."""
    async with AsyncExitStack() as opened:

        async def once(number: int) -> str:
            client = await opened.enter_async_context(handshake(attacker.target, address=attacker.address))
            return str(client.status)

        await attacker.repeat(count, once)


async def new_guests(attacker: Attacker, count: int) -> None:
    """Make guests."""

    async def once(number: int) -> str:
        return str((await attacker.call("POST", "/api/players", {"name": f"Eve {number}"}))[0])

    await attacker.repeat(count, once)


async def new_rooms(attacker: Attacker, count: int) -> None:
    """Make rooms of several guests."""
    tokens = await attacker.guests()

    async def once(number: int) -> str:
        return str((await attacker.call("POST", "/api/rooms", ROOM, tokens[number % AT_ONCE]))[0])

    await attacker.repeat(count, once)


async def renames(attacker: Attacker, count: int) -> None:
    """Rename guests, each of whom sits in several rooms."""
    tokens = await attacker.guests()
    for token, _ in itertools.product(tokens, range(min(ROOMS_OF_GUEST, count // AT_ONCE))):
        await attacker.room(token)

    async def once(number: int) -> str:
        name = {"name": f"Eve {number}"}
        return str((await attacker.call("PATCH", "/api/players/me", name, tokens[number % AT_ONCE]))[0])

    await attacker.repeat(count, once)


async def reconnects(attacker: Attacker, count: int) -> None:
    """Enter rooms with other spectators, and break off each connection once the room was received."""
    token = await attacker.guest()
    rooms = [await attacker.room(token) for _ in range(AT_ONCE)]

    async def once(number: int) -> str:
        async with attacker.enter(rooms[number % AT_ONCE], token) as socket:
            await socket.receive()
            await socket.receive()
            socket.connection.transport.abort()
            return "entered"

    await attacker.repeat(count, once)


@asynccontextmanager
async def one_room(attacker: Attacker) -> AsyncIterator[list[Socket]]:
    """Let several guests enter one room."""
    tokens = await attacker.guests()
    room = await attacker.room(tokens[0])
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(attacker.enter(room, token)) for token in tokens]
        yield sockets
        for socket in sockets:
            socket.connection.transport.abort()  # what it was sent and did not read would delay the end


async def commands(attacker: Attacker, count: int, **command: object) -> None:
    """Send commands to one room, all at once."""
    async with one_room(attacker) as sockets:

        async def talk(socket: Socket, mine: int) -> None:
            ids = {f"n{number}" for number in range(mine)}
            try:
                for name in ids:
                    await socket.send({**command, "id": name})
                while ids:
                    message = await socket.until(lambda m: m["type"] in ("ok", "rejected") and m["id"] in ids)
                    ids.remove(message["id"])
                    attacker.answers[message.get("code", "ok")] += 1
            except websockets.ConnectionClosed as closed:
                attacker.answers[str(closed.rcvd.code) if closed.rcvd is not None else "cut"] += 1

        await asyncio.gather(*[talk(socket, count // AT_ONCE) for socket in sockets])


async def chat(attacker: Attacker, count: int) -> None:
    """Send chat lines."""
    await commands(attacker, count, type="chat", text=280 * "\U0001f600")


async def reactions(attacker: Attacker, count: int) -> None:
    """Send reactions."""
    await commands(attacker, count, type="react", emoji="👍")


BURSTS: Final[dict[str, Callable[[Attacker, int], Awaitable[None]]]] = {
    "handshakes": handshakes,
    "guests": new_guests,
    "rooms": new_rooms,
    "chat": chat,
    "reactions": reactions,
    "renames": renames,
    "reconnects": reconnects,
}


async def _bursts(url: str, kinds: Sequence[str], count: int) -> None:
    answers = {}
    for kind in kinds:
        address = f"127.6.7.{1 + list(BURSTS).index(kind)}"
        connector = aiohttp.TCPConnector(local_addr=(address, 0), limit=AT_ONCE)
        async with aiohttp.ClientSession(connector=connector) as session:
            attacker = Attacker(url, address, session)
            await BURSTS[kind](attacker, count)
        answers[kind] = attacker.answers
    print(json.dumps(answers), flush=True)


async def _fill(url: str, address: str, count: int) -> Counter[str]:
    """Make rooms from one address."""
    connector = aiohttp.TCPConnector(local_addr=(address, 0), limit=ROOMS_AT_ONCE)
    async with aiohttp.ClientSession(connector=connector) as session:
        attacker = Attacker(url, address, session)
        tokens = [await attacker.guest() for _ in range(GUESTS_OF_ADDRESS)]

        async def once(number: int) -> str:
            return str((await attacker.call("POST", "/api/rooms", ROOM, tokens[number % len(tokens)]))[0])

        await attacker.repeat(count, once)
        return attacker.answers


async def _fill_all(url: str, count: int) -> None:
    answers = await asyncio.gather(*[_fill(url, f"127.6.{8 + n}.1", count) for n in range(ADDRESSES)])
    print(json.dumps(sum(answers, Counter())), flush=True)


def filling(url: str, count: int) -> AbstractAsyncContextManager[asyncio.Task[dict[str, int]]]:
    """Let each of many addresses ask for this many rooms. The task returns how often each status came."""
    return attacking("tests.attacks.bursts", url, str(count))


async def _main(url: str, count: int, kinds: Sequence[str]) -> None:
    """Send bursts of these kinds, or fill the server with rooms if there are none."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    await (_bursts(url, kinds, count) if kinds else _fill_all(url, count))


def bursting(
    url: str, kinds: Sequence[str], count: int
) -> AbstractAsyncContextManager[asyncio.Task[dict[str, dict[str, int]]]]:
    """Send a burst of each kind, one after another. The task returns how often each answer came, for each kind."""
    return attacking("tests.attacks.bursts", url, str(count), *kinds)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
