"""An arena of 3x3 with hundreds of guests on one core, beside the same games in rooms without a tournament.

    python -m bench tournaments --guests 500 --rounds 4 --seconds 15

Each guest makes a move some time after the one before. The same guests first play in the same way in the rooms of friends.
The ratio of both says what the tournament costs a move. The CPU time of the server without that of the moves, divided by the
number of ended games, is what the tournament costs a game: to count it, to pair, to make rooms, to send messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections.abc import Sequence
from typing import Any, Final

from bench.command_line import options, run
from bench.figures import Figure, quantile
from bench.noughts_server import Noughts
from bench.websocket import WebSocket, connect

PAUSE_S: Final = 1.0
"""The mean time that a guest takes for a move."""
WARM_UP_S: Final = 4.0
"""Seconds of play before the measurement: everybody is paired and connects at once."""
CLOCK: Final = {"mode": "fischer", "initial_ms": 600_000, "increment_ms": 1_000}


class Times:
    """What the guests have measured."""

    def __init__(self) -> None:
        self.moves_ms: list[float] = []
        self.paired_ms: list[float] = []
        """From the end of the last match, as its loser and its winner see it, to the message with the next one."""
        self.message_bytes = 0
        self.sides = 0
        """Games that ended, counted by both of their players."""
        self.cpu_us = 0.0
        """CPU time of the server while the guests played, in microseconds."""

    @property
    def games(self) -> float:
        """Games that ended."""
        return self.sides / 2

    async def measure(self, subject: Noughts, seconds: float) -> None:
        """Let the guests play for some seconds, and keep nothing from before."""
        await asyncio.sleep(WARM_UP_S)
        self.moves_ms, self.paired_ms, self.sides = [], [], 0
        before_ns = subject.cpu_ns()
        await asyncio.sleep(seconds)
        self.cpu_us = (subject.cpu_ns() - before_ns) / 1_000


class Guest:
    """One player, who plays whatever room it is in."""

    def __init__(self, subject: Noughts, token: str, times: Times, rng: random.Random, pause_s: float) -> None:
        self._subject = subject
        self._token = token
        self._times = times
        self._rng = rng
        self._pause_s = pause_s
        self._ids = 0

    async def play_room(self, socket: WebSocket, games: int) -> None:
        """Play in a room until so many games are over."""
        view = await socket.until(b'{"type":"room"')
        before: int | None = None
        while True:
            message: dict[str, Any] = json.loads(view)
            game = message["room"]["game"]
            ended = game["number"] - (game["outcome"] is None)
            self._times.sides += 0 if before is None else ended - before
            before = ended
            if game["outcome"] is not None and game["number"] >= games:
                return
            if "move" in message["you"]["can"]:
                await asyncio.sleep(self._rng.uniform(0.0, 2 * self._pause_s))
                self._ids += 1
                cell, ply = self._rng.choice(game["legal"]), len(game["moves"])
                command = {"type": "move", "id": f"m{self._ids}", "game": game["number"], "ply": ply, "cell": cell}
                began_s = time.perf_counter()
                socket.send(json.dumps(command))
                view, answer = await _view_and_answer(socket)
                if answer:
                    self._times.moves_ms.append((time.perf_counter() - began_s) * 1_000)
            else:
                view = await socket.until(b'{"type":"room"')

    async def play_tournament(self, hello: str) -> None:
        """Play every match of a tournament."""
        socket = await connect(self._subject.ws_url)
        socket.send(hello)
        last, free_s = 0, 0.0
        while True:
            text = await socket.until(b'{"type":"tournament"')
            self._times.message_bytes = max(self._times.message_bytes, len(text))
            message = json.loads(text)
            match = message["you"]["match"]
            if message["tournament"]["state"] == "over":
                socket.close()
                return
            if match is not None and match["n"] > last:
                if free_s:
                    self._times.paired_ms.append((time.perf_counter() - free_s) * 1_000)
                last = match["n"]
                room = await connect(self._subject.ws_url)
                room.send(_hello(room=match["room"], token=self._token))
                await self.play_room(room, message["tournament"]["games"])
                free_s = time.perf_counter()
                room.close()


def _hello(**fields: str) -> str:
    return json.dumps({"type": "hello", "protocol": 1, **fields})


async def _view_and_answer(socket: WebSocket) -> tuple[bytes, bool]:
    """Return the next view and whether the move was accepted, once both have come."""
    view, answer = b"", b""
    while not view or not answer:
        message = await socket.receive()
        if message.startswith(b'{"type":"room"'):
            view = message
        elif message.startswith((b'{"type":"ok"', b'{"type":"rejected"')):
            answer = message
    return view, answer.startswith(b'{"type":"ok"')


async def in_rooms(subject: Noughts, guests: int, seconds: float, pause_s: float) -> Times:
    """Let pairs play games of their own in friends' rooms for some seconds, with the clock of the tournament."""
    times, rng = Times(), random.Random(1)
    rooms = await asyncio.gather(*[subject.open_room(number, CLOCK) for number in range(guests // 2)])
    players = [Guest(subject, "", times, random.Random(number), pause_s) for number in range(guests)]

    async def pair(number: int) -> None:
        room, sides = rooms[number], players[2 * number : 2 * number + 2]
        for socket in room.sockets:
            socket.receiver = None
        while True:
            await asyncio.gather(*[_game(side, socket) for side, socket in zip(sides, room.sockets, strict=True)])
            first, second = room.sockets
            first.send(f'{{"type":"offer","id":"r{rng.random()}","what":"rematch"}}')
            await first.until(b'{"type":"ok"')
            second.send(f'{{"type":"offer","id":"r{rng.random()}","what":"rematch"}}')
            await second.until(b'{"type":"ok"')

    async def _game(side: Guest, socket: WebSocket) -> None:
        socket.send(json.dumps({"type": "move", "id": f"v{rng.random()}", "ply": 99, "cell": "a1"}))  # sends the view
        await side.play_room(socket, 0)

    tasks = [asyncio.create_task(pair(number)) for number in range(len(rooms))]
    await times.measure(subject, seconds)
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            raise outcome
    for room in rooms:
        for socket in room.sockets:
            socket.close()
    return times


async def in_tournament(subject: Noughts, guests: int, seconds: float, pause_s: float) -> Times:
    """Let all guests play one arena for some seconds."""
    times, host = Times(), await subject.guest()
    body = {"name": "Bench", "mode": "arena", "variant": "classic", "clock": CLOCK, "minutes": 180}
    answer = await subject.post("/api/tournaments", body, host)
    tokens = [await subject.guest() for _ in range(guests)]
    for token in tokens:
        await subject.post("/api/tournaments/join", {"pin": answer["pin"]}, token)
    players = [Guest(subject, token, times, random.Random(n), pause_s) for n, token in enumerate(tokens)]
    tournament = answer["tournament"]["id"]
    tasks = [
        asyncio.create_task(player.play_tournament(_hello(tournament=tournament, token=token)))
        for player, token in zip(players, tokens, strict=True)
    ]
    control = await connect(subject.ws_url)
    control.send(_hello(tournament=tournament, token=host))
    control.send('{"type":"start","id":"start"}')
    await control.until(b'{"type":"ok"')
    await times.measure(subject, seconds)
    for task in tasks:
        if task.done():
            task.result()
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    control.close()
    return times


async def measure(parsed: argparse.Namespace) -> list[Figure]:
    """Measure both, by turns, each time on a new server."""
    rooms, cups = list[Times](), list[Times]()
    for number in range(parsed.rounds):
        for play, figures in ((in_rooms, rooms), (in_tournament, cups)):
            subject = Noughts()
            await subject.start()
            try:
                figures.append(await play(subject, parsed.guests, parsed.seconds, parsed.pause))
            finally:
                await subject.stop()
        outside_ms, inside_ms = _p99(rooms[-1].moves_ms), _p99(cups[-1].moves_ms)
        print(
            f"round {number + 1} of {parsed.rounds}: a move at p99 {outside_ms:.2f} ms, in the tournament {inside_ms:.2f}",
            flush=True,
        )
    moves, outside = (sum(len(times.moves_ms) for times in each) for each in (cups, rooms))
    print(f"{moves} moves and {sum(cup.games for cup in cups):.0f} games in the tournament, {outside} moves outside")
    a_move_us = [times.cpu_us / len(times.moves_ms) for times in rooms]
    a_game_us = [
        (cup.cpu_us - move_us * len(cup.moves_ms)) / max(1, cup.games)
        for cup, move_us in zip(cups, a_move_us, strict=True)
    ]
    in_rooms_ms, in_cup_ms = [_p99(times.moves_ms) for times in rooms], [_p99(cup.moves_ms) for cup in cups]
    return [
        Figure("an ended game, apart from its moves, CPU", "us", a_game_us, "a move", a_move_us, goal=4),
        Figure("a move in the tournament, p99", "ms", in_cup_ms, "rooms", in_rooms_ms, goal=1.5),
        Figure("free to paired, p50", "ms", [quantile(cup.paired_ms, 0.5) for cup in cups]),
        Figure("free to paired, p99", "ms", [_p99(cup.paired_ms) for cup in cups], goal=1_000),
        Figure("the largest message of the tournament", "bytes", [cup.message_bytes for cup in cups], goal=5_120),
    ]


def _p99(values: Sequence[float]) -> float:
    return quantile(values, 0.99)


def main(arguments: Sequence[str]) -> None:
    """Measure a tournament."""
    parser = options(__doc__)
    parser.add_argument("--guests", type=int, default=500, metavar="N", help="guests (%(default)s)")
    parser.add_argument("--seconds", type=float, default=15.0, metavar="S", help="seconds of play (%(default)s)")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="rounds of both (%(default)s)")
    parser.add_argument("--pause", type=float, default=PAUSE_S, metavar="S", help="mean time for a move (%(default)s)")
    run(measure, parser, arguments)
