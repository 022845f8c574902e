"""One address keeps every worker busy with games of two engines. People elsewhere play the engine and review games."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.player import Api, Message, Socket, connect
from tests.support.server import RunningServer

ATTACKER = "198.51.100.6"
ROOMS = 40
NOVICE_S = 4.0
"""The bound for a reply of a novice: 0.5 s of pace, and a move without a worker. The rest is for a busy machine."""
STRONGEST_S = 8.0
"""The bound for a reply of the top level: 0.5 s of pace, and 2.5 s. The rest is for a busy machine."""
REVIEW_S = 20.0
"""The bound for a review: ten seconds. The rest is for a busy machine."""
REVIEWS = (
    "b6,e6,g6,f6,d6,b5,e5,b4,f5,c6,c5,f4,g5,e4,a6,e3,e2,c4",
    "e6,b6,d6,g6,b5,b4,e5,a6,f6,f5,f4,e4,e3,c6,f3,f2",
    "d6,e6,a6,e5,a5,e4,g6,c6,e3,c5,g5,g4,d5,e2",
)
"""Games of four in a row whose early positions take longer to prove than a review may take."""


class Visitor(Api):
    """A client at an address of its own, as a proxy passes it on."""

    def __init__(self, url: str, address: str) -> None:
        super().__init__(url)
        self.forwarded = {"X-Forwarded-For": address}

    async def call(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        return await super().call(method, path, body, {**self.forwarded, **(headers or {})})

    async def become_guest(self) -> None:
        self.token = (await self.post("/api/players", {}))["token"]

    @asynccontextmanager
    async def enter(self, server: RunningServer, room: str, *, named: bool) -> AsyncIterator[Socket]:
        hello: Message = {"room": room, "token": self.token} if named else {"room": room}
        async with connect(server.ws_url, hello, additional_headers=self.forwarded) as socket:
            await socket.until_room(lambda view: True)
            yield socket


async def replies_s(server: RunningServer, address: str, variant: str, level: str, cells: list[str]) -> list[float]:
    """Play these cells against the engine. Return the seconds from each move to the engine's reply."""
    person, times_s = Visitor(server.url, address), []
    await person.become_guest()
    body = {"variant": variant, "opponent": "engine", "mark": "X", "level": level}
    room = (await person.post("/api/rooms", body))["room"]["id"]
    async with person.enter(server, room, named=True) as socket:
        for cell in cells:
            marks = len(socket.room["game"]["moves"])
            if cell in socket.room["game"]["moves"]:
                continue
            await socket.move(cell)
            began_s = time.monotonic()
            await socket.until_room(lambda view, marks=marks: len(view["game"]["moves"]) == marks + 2)  # type: ignore[misc]
            times_s.append(time.monotonic() - began_s)
    return times_s


async def review_s(server: RunningServer, address: str, moves: str) -> float:
    """Analyse a game. Return the seconds until the answer."""
    began_s = time.monotonic()
    answer = await Visitor(server.url, address).get(f"/api/analysis?variant=four-in-a-row&moves={moves}")
    assert len(answer["positions"]) == len(moves.split(",")) + 1
    return time.monotonic() - began_s


async def test_one_address_does_not_take_the_engine_from_the_others(tmp_path: Path) -> None:
    """Two guests have rooms of two engines, and nameless clients watch each. All people are answered in time."""
    server = RunningServer(tmp_path, {"NOUGHTS_WORKERS": "2", "NOUGHTS_TRUSTED": "127.0.0.0/8"}).start()
    try:
        async with AsyncExitStack() as stack:
            guests = [Visitor(server.url, ATTACKER) for _ in range(2)]
            for visitor in guests:
                await visitor.become_guest()
            body = {"variant": "ultimate", "opponent": "engines", "levels": ["strongest", "strongest"]}
            watchers = []
            for n in range(ROOMS):
                room = (await guests[n % 2].post("/api/rooms", body))["room"]["id"]
                socket = await stack.enter_async_context(guests[n % 2].enter(server, room, named=False))
                watchers.append(asyncio.create_task(socket.read_all()))
            async with asyncio.TaskGroup() as group:
                novice = group.create_task(replies_s(server, "198.51.100.7", "classic", "novice", ["b2", "a1"]))
                strongest = group.create_task(
                    replies_s(server, "198.51.100.8", "gomoku", "strongest", ["h8", "a1", "o15"])
                )
                reviews = [
                    group.create_task(review_s(server, f"198.51.100.{10 + n}", moves))
                    for n, moves in enumerate(REVIEWS)
                ]
            for watcher in watchers:
                watcher.cancel()
            await asyncio.wait(watchers)
    finally:
        server.kill()
    novice_s, strongest_s = max(novice.result()), max(strongest.result())
    longest_review_s = max(review.result() for review in reviews)
    print(
        f"beside {ROOMS} rooms of engines: novice {novice_s:.2f} s, strongest {strongest_s:.2f} s,"
        f" {len(reviews)} reviews {longest_review_s:.2f} s"
    )
    assert novice_s <= NOVICE_S
    assert strongest_s <= STRONGEST_S
    assert longest_review_s <= REVIEW_S
    lines = [line for line in server.log.splitlines() if "the server stood still" not in line]
    assert len(lines) <= 5, server.log
