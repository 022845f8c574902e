"""Messages changed at random, against a running server: each is answered, and none finds a fault."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

import pytest

from tests.attacks.mutations import MESSAGES, mutated
from tests.conftest import StartServer
from tests.support.metrics import metric
from tests.support.player import friends_room, guest
from tests.support.raw_websocket import CLOSE, TEXT, RawSocket, client_frame, handshake
from tests.support.rooms import pair
from tests.support.server import RunningServer

AT_ONCE: Final = 15
"""Messages on one connection. Twenty without an id would close it."""
ROOM_LIFE: Final = 40
"""Connections in a room. Each room begins with a game between two friends."""
PARTS_AT_ONCE: Final = 6
"""Rooms at a time: a busy machine makes each of them wait for most of its time."""

T = TypeVar("T")


def id_of(data: bytes) -> str | None:
    """Return the id that the answer to a message must have; None if it may have none."""

    def no_constant(name: str) -> None:
        raise ValueError(name)

    try:
        message = json.loads(data, parse_int=float, parse_constant=no_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("type") == "hello" or data.count(b'"id"') != 1:
        return None
    name = message.get("id")
    return name if isinstance(name, str) and name.isascii() and 1 <= len(name) <= 64 else None


async def answers(client: RawSocket, count: int) -> list[dict[str, Any]]:
    """Return the next answers. The server must not close."""
    received: list[dict[str, Any]] = []
    while len(received) < count:
        opcode, content = await client.frame()
        assert opcode != CLOSE, (content, received[-3:])
        if opcode == TEXT:
            message = json.loads(content)
            if message["type"] in ("ok", "rejected", "pong"):
                received.append(message)
    return received


async def send(server: RunningServer, hello: dict[str, Any], messages: Sequence[bytes]) -> Counter[str]:
    """Send messages on one connection. Return how often each code came, and check that each message has its answer."""
    first = json.dumps({"type": "hello", "protocol": 1, **hello}).encode()
    async with handshake(server) as client:
        client.writer.write(b"".join(client_frame(TEXT, frame) for frame in (first, *messages)))
        received = await answers(client, len(messages))
        client.writer.write(client_frame(TEXT, b'{"type":"ping","id":"last"}'))
        last = await answers(client, 1)
    assert last[0]["id"] == "last", "one message must have one answer"
    ids = Counter(message["id"] for message in received)
    missing = [data for data in messages if (name := id_of(data)) is not None and ids[name] < 1]
    assert not missing, missing
    return Counter(str(message.get("code", message["type"])) for message in received)


async def send_to_room(server: RunningServer, rng: random.Random) -> Counter[str]:
    """Send changed messages of the owner, the opponent, a spectator and a nameless one. Return the codes of the answers."""
    codes = Counter[str]()
    ann, ben, cat = [await guest(server.url, name) for name in ("Ann", "Ben", "Cat")]
    answer = await friends_room(server, ann)
    sit = {"type": "sit", "id": "sit", "mark": "O", "invite": answer["invite"]}
    room = {"room": answer["room"]["id"]}
    await send(server, {**room, "token": ben.token}, [json.dumps(sit).encode()])
    hellos = [*({**room, "token": api.token} for api in (ann, ben, cat)), room, {"lobby": True}]
    for connection in range(ROOM_LIFE):
        ids = [f"m{connection * AT_ONCE + n}" for n in range(AT_ONCE)]
        messages = [mutated({"id": name, **rng.choice(MESSAGES)}, rng) for name in ids]
        codes += await send(server, rng.choice(hellos), messages)
    return codes


async def some_at_a_time(count: int, run: Callable[[int], Awaitable[Counter[T]]]) -> Counter[T]:
    """Run this many parts, some at a time. Return the sum of what they count."""
    numbers, total = iter(range(count)), Counter[T]()

    async def work() -> None:
        for number in numbers:
            total.update(await run(number))

    async with asyncio.TaskGroup() as workers:
        for _ in range(PARTS_AT_ONCE):
            workers.create_task(work())
    return total


async def check_messages(server: RunningServer, count: int, seed: int) -> str:
    """Send messages, and check the answers. Return the figure."""
    rooms = -(-count // (ROOM_LIFE * AT_ONCE))
    codes = await some_at_a_time(rooms, lambda n: send_to_room(server, random.Random(f"{seed} {n}")))
    assert codes["internal"] == codes["unavailable"] == 0
    assert {"ok", "bad_message", "unknown_command", "unauthorized", "forbidden", "not_seated"} <= set(codes)
    return f"{codes.total()} messages, seed {seed}: {dict(codes.most_common())}"


async def check_health(server: RunningServer) -> None:
    """Check that the server plays on, and that it noticed no fault."""
    async with pair(server) as game:
        await game.play("b2", "a1", "c3", "a3", "a2")
        assert (await game.view())["game"]["moves"] == ["b2", "a1", "c3", "a3", "a2"]
    assert await metric(server, "noughts_faults_total") == 0
    assert await asyncio.to_thread(server.stop) == 0
    assert "Traceback" not in server.log, server.log


async def check(server: RunningServer, messages: int, seed: int) -> None:
    figures = await check_messages(server, messages, seed)
    await check_health(server)
    print(figures)


async def test_changed_messages_find_no_fault(start_server: StartServer) -> None:
    await check(start_server(think_ms=50, workers=1), 3_000, seed=1)


@pytest.mark.long
async def test_very_many_changed_messages_find_no_fault(start_server: StartServer) -> None:
    await check(start_server(think_ms=50, workers=1), 100_000, seed=random.randrange(1 << 32))
