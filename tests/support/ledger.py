"""Players who never stop, and the ledger of what the server acknowledged to them: nothing of it may be lost or doubled.

The players of a room fill a board of gomoku on which nobody wins. They chat, and guests come. A command without an answer is
sent again under its id, on a new connection if the old one is gone, until it is accepted.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

import aiohttp
import websockets

from tests.support.player import WAIT_S, Api, Message, Served, Socket, enter, friends_room, guest

SIZE: Final = 15
CHAT_EVERY: Final = 8
"""Moves between two chat lines of a room."""
GUEST_EVERY: Final = 24
"""Moves of a room between two new guests."""
PAUSE_S: Final = 0.05
"""The pause before a command is sent again, or a connection is opened again."""
SENT_AGAIN: Final = 6
"""How many of a room's newest commands a check sends once more."""
CLOCK: Final = {"mode": "move", "move_ms": 60_000}
"""No player is ever this slow, so a flag is wrong."""


def _cells() -> tuple[str, ...]:
    """Return all cells in an order of play in which no side ever has three in a row."""
    sides: tuple[list[str], list[str]] = ([], [])
    for line, column in itertools.product(range(SIZE), range(SIZE)):
        sides[(column // 2 + line) % 2].append(f"{chr(ord('a') + column)}{line + 1}")
    pairs = itertools.zip_longest(*sides)
    return tuple(cell for cell in itertools.chain.from_iterable(pairs) if cell is not None)


CELLS: Final = _cells()


class Entry(NamedTuple):
    """A command that was acknowledged: the cell of a move, or the text of a chat line."""

    player: Api
    command: Message


class LedgerRoom:
    """A room and what was acknowledged in it. ``pending`` is the command that has no answer yet."""

    def __init__(self, id: str, invite: str, x: Api, o: Api) -> None:
        self.id = id
        self.invite = invite
        self.x = x
        self.o = o
        self.entries: list[Entry] = []
        self.moves: list[str] = []
        self.lines: list[str] = []
        self.pending: Entry | None = None

    def acknowledge(self, entry: Entry) -> None:
        """Write down a command that was answered ok."""
        self.entries.append(entry)
        if entry.command["type"] == "move":
            self.moves.append(entry.command["cell"])
        elif entry.command["type"] == "chat":
            self.lines.append(entry.command["text"])
        self.pending = None


class Ledger:
    """What a server acknowledged. ``violations`` are sentences about what was lost, doubled or wrong."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.rooms: list[LedgerRoom] = []
        self.guests: list[Api] = []
        self.violations: list[str] = []
        self._playing: list[LedgerRoom] = []
        self._numbers = itertools.count(1)

    @property
    def acknowledged(self) -> int:
        """How many commands and guests were acknowledged."""
        return sum(len(room.entries) for room in self.rooms) + len(self.guests)

    @property
    def moves(self) -> int:
        """How many moves were acknowledged."""
        return sum(len(room.moves) for room in self.rooms)

    def figures(self) -> str:
        """Return the line that a test prints at its end."""
        return (
            f"{self.moves} moves, {sum(len(room.lines) for room in self.rooms)} chat lines, {len(self.guests)} guests"
            f" acknowledged, {len(self.violations)} lost, doubled or wrong"
        )

    # --- playing ------------------------------------------------------------------------------------------------

    async def open_rooms(self, count: int) -> None:
        """Make rooms with two players each. Every second room has a clock."""
        for number in range(count):
            self._playing.append(await self._room(await self._guest(), await self._guest(), clock=number % 2 == 1))

    async def _guest(self) -> Api:
        api = await guest(self.server.url)
        self.guests.append(api)
        return api

    async def _room(self, x: Api, o: Api, *, clock: bool) -> LedgerRoom:
        answer = await friends_room(self.server, x, variant="gomoku", **({"clock": CLOCK} if clock else {}))
        room = LedgerRoom(answer["room"]["id"], answer["invite"], x, o)
        self.rooms.append(room)
        return room

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Let all rooms play meanwhile."""
        async with asyncio.TaskGroup() as players:
            tasks = [players.create_task(self._play(number)) for number in range(len(self._playing))]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()

    async def until(self, count: int) -> None:
        """Wait until this many more commands were acknowledged."""
        enough = self.acknowledged + count
        async with asyncio.timeout(WAIT_S * (1 + count // 100)):
            while self.acknowledged < enough:  # noqa: ASYNC110 - another task plays
                await asyncio.sleep(0.01)

    async def _play(self, number: int) -> None:
        while True:
            room = self._playing[number]
            try:
                if len(room.moves) == len(CELLS):
                    self._playing[number] = await self._room(room.x, room.o, clock=number % 2 == 1)
                    continue
                async with enter(self.server, room.id, room.x) as x, enter(self.server, room.id, room.o) as o:
                    await self._fill(room, x, o)
            except (OSError, aiohttp.ClientError, websockets.WebSocketException, TimeoutError, AssertionError):
                # The server is away, or answers that it cannot serve now. What it acknowledges is checked afterwards.
                await asyncio.sleep(PAUSE_S)

    async def _fill(self, room: LedgerRoom, x: Socket, o: Socket) -> None:
        """Play on until the board is full, from the command that has no answer yet."""
        while len(room.moves) < len(CELLS):
            if room.pending is None:
                room.pending = self._next(room)
            entry = room.pending
            await self._send(room, x if entry.player is room.x else o, entry)
            if entry.command["type"] == "move" and len(room.moves) % GUEST_EVERY == 0:
                await self._guest()

    def _next(self, room: LedgerRoom) -> Entry:
        ply, number = len(room.moves), next(self._numbers)
        if not room.entries:
            return Entry(room.o, {"type": "sit", "id": f"s{number}", "mark": "O", "invite": room.invite})
        mover = (room.x, room.o)[ply % 2]
        if ply % CHAT_EVERY == 1 and len(room.lines) <= ply // CHAT_EVERY:
            return Entry(mover, {"type": "chat", "id": f"c{number}", "text": f"line {number} of {room.id}"})
        return Entry(mover, {"type": "move", "id": f"m{number}", "ply": ply, "cell": CELLS[ply]})

    async def _send(self, room: LedgerRoom, socket: Socket, entry: Entry) -> None:
        """Send a command, again and again under its id, until it is accepted. Note any other answer."""
        while (answer := await socket.ask(**_arguments(entry.command)))["type"] != "ok":
            if answer["code"] != "unavailable":
                self.violations.append(f"{room.id}: {entry.command} was rejected: {answer['message']}")
                raise AssertionError(answer)
            await asyncio.sleep(PAUSE_S)
        room.acknowledge(entry)

    # --- checking -----------------------------------------------------------------------------------------------

    async def check(self) -> None:
        """Compare a server that serves again with the ledger. Send some commands once more: each has its one effect."""
        for room in self.rooms:
            view = await self._checked_view(room)
            async with enter(self.server, room.id, room.x) as x, enter(self.server, room.id, room.o) as o:
                for entry in room.entries[-SENT_AGAIN:]:
                    answer = await (x if entry.player is room.x else o).ask(**_arguments(entry.command))
                    if answer["type"] != "ok":
                        self.violations.append(f"{room.id}: {entry.command} sent again: {answer}")
                self._check_lines(room, x)
            if (await self._view(room))["game"] != view["game"]:
                self.violations.append(f"{room.id}: commands that were sent again had an effect")
        for api in self.guests:
            status, body = await api.call("GET", "/api/players/me")
            if status != 200:
                self.violations.append(f"the guest {api.player['id']} is lost: {status} {body}")

    async def _view(self, room: LedgerRoom) -> Message:
        return dict(await Api(self.server.url).get(f"/api/rooms/{room.id}"))

    async def _checked_view(self, room: LedgerRoom) -> Message:
        view = await self._view(room)
        game = view["game"]
        moves = [] if game is None else game["moves"]
        self.violations += moves_violations(room, moves)
        if game is not None and game["outcome"] is not None and game["outcome"]["reason"] != "full_board":
            self.violations.append(f"{room.id}: {game['outcome']}")
        return view

    def _check_lines(self, room: LedgerRoom, socket: Socket) -> None:
        shown = [line["text"] for message in socket.seen if message["type"] == "chat" for line in message["lines"]]
        self.violations += lines_violations(room, shown)


def moves_violations(room: LedgerRoom, moves: list[str]) -> list[str]:
    """Return what is wrong with the moves that a room has. The command without an answer may have had its effect."""
    pending = room.pending.command.get("cell") if room.pending is not None else None
    following = [pending] if pending is not None else []
    if moves[: len(room.moves)] != room.moves:
        return [f"{room.id}: acknowledged moves are lost: {len(moves)} of {len(room.moves)}"]
    extra = moves[len(room.moves) :]
    return [f"{room.id}: these moves were not made: {extra}"] if extra not in ([], following) else []


def lines_violations(room: LedgerRoom, shown: list[str]) -> list[str]:
    """Return what is wrong with the chat lines that a room has."""
    lost = [line for line in room.lines if line not in shown]
    doubled = sorted({line for line in shown if shown.count(line) > 1})
    return [f"{room.id}: {line!r} is lost" for line in lost] + [
        f"{room.id}: {line!r} is there twice" for line in doubled
    ]


def _arguments(command: Message) -> Message:
    """Return the arguments with which a socket sends a command."""
    return {"type_": command["type"], **{name: value for name, value in command.items() if name != "type"}}
