"""A host and entrants of a tournament who play through real sockets."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

import websockets

from tests.support.player import WAIT_S, Api, Message, Served, Socket, connect, enter, guest

CLOCK: Final = {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 1_000}
LOST: Final = (websockets.ConnectionClosed, websockets.InvalidHandshake, OSError, TimeoutError)
"""What a client meets when its server goes away."""
NOTED_S: Final = 2.0
"""Seconds in which a tournament tells an entrant that its match is over. Otherwise the match has another game."""


class Cup:
    """A tournament on a server, its host, and its entrants."""

    def __init__(self, server: Served, host: Api, answer: Message) -> None:
        self.server = server
        self.host = host
        self.id: str = answer["tournament"]["id"]
        self.pin: str = answer["pin"]
        self.url: str = answer["url"]

    async def entrant(self, own_name: str | None = None, server: Served | None = None, **fields: Any) -> Entrant:
        """Return a new guest with a name of its own who has joined, with a name for the tournament in ``fields``."""
        server = server or self.server
        api = await guest(server.url, own_name)
        body = {"pin": self.pin, **fields}
        answer = await api.post("/api/tournaments/join", body)
        return Entrant(self, server, api, answer["entrant"])

    async def entrants(self, count: int, servers: Sequence[Served] = ()) -> list[Entrant]:
        """Return several new entrants, spread over the servers."""
        servers = servers or (self.server,)
        return [await self.entrant(f"Player {n}", servers[n % len(servers)]) for n in range(1, count + 1)]

    async def show(self, server: Served | None = None) -> Message:
        view: Message = await Api((server or self.server).url).get(f"/api/tournaments/{self.id}")
        return view

    async def standings(self, server: Served | None = None) -> list[Message]:
        answer = await Api((server or self.server).url).get(f"/api/tournaments/{self.id}/standings?count=100")
        rows: list[Message] = answer["standings"]
        return rows

    async def matches(self, server: Served | None = None) -> list[Message]:
        """Return all matches, page by page."""
        matches: list[Message] = []
        while True:
            after = matches[-1]["n"] if matches else 0
            path = f"/api/tournaments/{self.id}/matches?after={after}"
            page = await Api((server or self.server).url).get(path)
            matches += page["matches"]
            if not page["more"]:
                return matches

    @asynccontextmanager
    async def socket(self, api: Api | None = None, server: Served | None = None) -> AsyncIterator[Socket]:
        """Connect to the tournament, as the host by default."""
        async with connect((server or self.server).ws_url, self.hello(api or self.host)) as socket:
            await until_tournament(socket, lambda message: True)
            yield socket

    def hello(self, api: Api) -> Message:
        return {"tournament": self.id} if api.token is None else {"tournament": self.id, "token": api.token}

    async def command(self, type_: str, server: Served | None = None, **fields: Any) -> Message:
        """Send a command of the host. Return the answer."""
        async with self.socket(server=server) as socket:
            return await socket.ask(type_, **fields)

    async def ok(self, type_: str, server: Served | None = None, **fields: Any) -> None:
        answer = await self.command(type_, server, **fields)
        assert answer["type"] == "ok", answer

    async def until_entrants(self, count: int) -> None:
        """Wait until so many players have joined."""
        async with asyncio.timeout(WAIT_S):
            while True:
                if (await self.show())["entrants"] >= count:
                    return
                await asyncio.sleep(0.05)

    async def until_matches(self, count: int, timeout_s: float = WAIT_S, server: Served | None = None) -> None:
        """Wait until so many matches were made."""
        async with asyncio.timeout(timeout_s):
            while True:
                if len(await self.matches(server)) >= count:
                    return
                await asyncio.sleep(0.05)

    async def until_over(self, timeout_s: float = 60.0, server: Served | None = None) -> Message:
        """Wait until the tournament is over."""
        async with asyncio.timeout(timeout_s):
            while True:
                view = await self.show(server)
                if view["state"] == "over":
                    return view
                await asyncio.sleep(0.1)


class Entrant:
    """A guest who has joined a tournament and plays each match as it comes. ``rooms`` are those of its matches, in order."""

    def __init__(self, cup: Cup, server: Served, api: Api, number: int) -> None:
        self.cup = cup
        self.server = server
        self.api = api
        self.number = number
        self.rooms: list[str] = []
        self.games = 0
        """Games that this entrant saw end."""
        self.choose: Callable[[Sequence[str]], str] = random.Random(number).choice
        """Chooses a move from the legal ones."""
        self.pause_s = 0.0
        """The time that the entrant takes for each move."""

    async def play(self) -> None:
        """Play until the tournament is over, and come back whenever the connection is lost."""
        while True:
            try:
                async with connect(self.server.ws_url, self.cup.hello(self.api)) as socket:
                    while True:
                        message = await until_tournament(socket, _needs_me)
                        if message["tournament"]["state"] == "over":
                            return
                        room = message["you"]["match"]["room"]
                        await self._play_match(room)
                        with suppress(TimeoutError):
                            async with asyncio.timeout(NOTED_S):
                                await until_tournament(socket, lambda now, room=room: room_of(now) != room)  # type: ignore[misc]
            except LOST:
                await asyncio.sleep(0.1)

    async def _play_match(self, room: str) -> None:
        if not self.rooms or self.rooms[-1] != room:
            self.rooms.append(room)
        async with enter(self.server, room, self.api) as socket:
            while True:
                view = socket.room
                if await self._is_over(view):
                    return
                you, game = socket.you, view["game"]
                if "move" in you["can"]:
                    await asyncio.sleep(self.pause_s)
                    cell = self.choose(game["legal"])
                    answer = await socket.ask("move", game=game["number"], ply=len(game["moves"]), cell=cell)
                    if answer.get("code") == "unavailable":
                        await asyncio.sleep(0.1)
                        continue
                    version = answer.get("version", view["version"] + 1)
                    await socket.until_room(lambda now, version=version: now["version"] >= version)  # type: ignore[misc]
                else:
                    await socket.until_room(lambda now, before=view: now["version"] > before["version"])  # type: ignore[misc]

    async def _is_over(self, view: Message) -> bool:
        """Return whether the match in a room is over: its last game has ended, or it was ended early."""
        if view["phase"] == "playing":
            return False
        game = view["game"]
        if game["number"] >= view["tournament"]["games"] or game["outcome"]["reason"] == "aborted":
            return True
        return game["outcome"]["reason"] in ("bell", "resignation")


def room_of(message: Message) -> str | None:
    """Return the room of the match that the entrant is in."""
    match = message["you"]["match"]
    return None if match is None else match["room"]


def _needs_me(message: Message) -> bool:
    return message["tournament"]["state"] == "over" or message["you"]["match"] is not None


async def until_tournament(socket: Socket, wanted: Callable[[Message], bool]) -> Message:
    """Return the message of a tournament as soon as it is as wanted. The newest one received may be."""
    while "tournament" not in socket.last or not wanted(socket.last["tournament"]):
        await socket.receive()
    return socket.last["tournament"]


async def new_cup(server: Served, mode: str = "arena", **fields: Any) -> Cup:
    """Make a tournament of 3x3 with a new host."""
    host = await guest(server.url, "Hanna")
    body = {"name": "Cup", "mode": mode, "variant": "classic", "clock": CLOCK, **fields}
    return Cup(server, host, await host.post("/api/tournaments", body))


async def begun_cup(server: Served, count: int = 2, mode: str = "arena", **fields: Any) -> Cup:
    """Make a tournament that has begun, with so many entrants who do not play."""
    cup = await new_cup(server, mode, **fields)
    await cup.entrants(count)
    await cup.ok("start")
    return cup


@asynccontextmanager
async def playing(entrants: Sequence[Entrant]) -> AsyncIterator[None]:
    """Let entrants play while the block runs, and to the end of the tournament if it ends by itself."""
    async with AsyncExitStack() as stack:
        tasks = [asyncio.create_task(entrant.play()) for entrant in entrants]
        stack.push_async_callback(_cancel, tasks)
        yield
        for task in tasks:
            if task.done():
                task.result()


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def check_results(standings: Sequence[Message], matches: Sequence[Message]) -> None:
    """Check that the standings follow from the matches, that each match is whole, and that nobody played two at a time."""
    points: dict[int, int] = {}
    games: dict[int, int] = {}
    for match in matches:
        if match["state"] == "annulled":
            continue
        for side, score in zip(match["entrants"], match["points"], strict=True):
            if side is not None:
                points[side["entrant"]] = points.get(side["entrant"], 0) + score
                counted = sum(game["counts"] for game in match["games"])
                games[side["entrant"]] = games.get(side["entrant"], 0) + counted
        numbers = [game["number"] for game in match["games"]]
        assert numbers == list(range(1, len(numbers) + 1)), match
    assert [match["n"] for match in matches] == list(range(1, len(matches) + 1))
    for row in standings:
        assert row["points"] == points.get(row["entrant"], 0), (row, matches)
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == games.get(row["entrant"], 0), row
    assert [row["rank"] for row in standings] == sorted(row["rank"] for row in standings)
