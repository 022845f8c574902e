"""Players who never stop, and the ledger of what the server acknowledged to them: nothing of it may be lost or doubled.

The players of a room fill a board of gomoku on which nobody wins. They chat, and guests come. A command without an answer is
sent again under its id, until it is accepted. Where a store has several nodes, the two players of a room begin at different
ones, and a player whose connection is lost goes to the next node.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
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
SILENCE_S: Final = 3.0
"""Where there are several nodes, a player without an answer for this long goes to another one."""
SENT_AGAIN: Final = 20
"""How many of a room's newest commands a check sends once more. A room remembers 64 of each player."""
CLOCK: Final = {"mode": "move", "move_ms": 60_000}
"""No player is ever this slow, so a flag is wrong."""
AWAY: Final = (OSError, aiohttp.ClientError, websockets.WebSocketException, TimeoutError, AssertionError)
"""What a player meets while a server is away, or answers that it cannot serve now."""


def _cells() -> tuple[str, ...]:
    """Return all cells in an order of play in which no side ever has three in a row."""
    sides: tuple[list[str], list[str]] = ([], [])
    for line, column in itertools.product(range(SIZE), range(SIZE)):
        sides[(column // 2 + line) % 2].append(f"{chr(ord('a') + column)}{line + 1}")
    pairs = itertools.zip_longest(*sides)
    return tuple(cell for cell in itertools.chain.from_iterable(pairs) if cell is not None)


CELLS: Final = _cells()


class Entry(NamedTuple):
    """A command of X or O that was acknowledged at a version: a seat, the cell of a move, or the text of a chat line."""

    side: int
    command: Message
    version: int = 0


class LedgerRoom:
    """A room, its players, and what was acknowledged in it. ``pending`` is the command that has no answer yet."""

    def __init__(self, id: str, invite: str, players: tuple[Api, Api], at: Sequence[int] = (0, 0)) -> None:
        self.id = id
        self.invite = invite
        self.players = players
        self.at = list(at)
        """The number of the node at which each player is."""
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
    """What a server, or several nodes of one store, acknowledged.

    ``violations`` are sentences about what was lost, doubled or wrong.
    """

    def __init__(self, *nodes: Served) -> None:
        self.nodes = nodes
        self.rooms: list[LedgerRoom] = []
        self.guests: list[Api] = []
        self.violations: list[str] = []
        self.closed: list[int] = []
        """The close codes that players met."""
        self.longest_s = 0.0
        """The longest wait for an answer."""
        self.pace_s = 0.0
        """How long a player thinks."""
        self.silence_expected = len(nodes) == 1
        """Whether a node may leave commands without an answer, because it is stopped."""
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
            at = number % len(self.nodes), (number + 1) % len(self.nodes)
            players = await self._guest(at[0]), await self._guest(at[1])
            self._playing.append(await self._room(players, at, clock=number % 2 == 1))

    async def _guest(self, at: int) -> Api:
        api = await guest(self.nodes[at].url)
        self.guests.append(api)
        return api

    async def _room(self, players: tuple[Api, Api], at: Sequence[int], *, clock: bool) -> LedgerRoom:
        options = {"clock": CLOCK} if clock else {}
        answer = await friends_room(self.nodes[at[0]], players[0], variant="gomoku", **options)
        room = LedgerRoom(answer["room"]["id"], answer["invite"], players, at)
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

    async def everybody(self, moves: int = 2) -> float:
        """Wait until each player has this many more answers. Return the seconds until each room had one."""
        began_s, firsts_s = time.monotonic(), dict[str, float]()
        before = {room.id: len(room.entries) for room in self._playing}
        async with asyncio.timeout(WAIT_S):
            while any(len(room.entries) < before.get(room.id, 0) + 2 * moves for room in self._playing):
                for room in self._playing:
                    if len(room.entries) > before.get(room.id, 0):
                        firsts_s.setdefault(room.id, time.monotonic() - began_s)
                await asyncio.sleep(0.01)
        return max(firsts_s.values())

    async def _play(self, number: int) -> None:
        while True:
            room = self._playing[number]
            try:
                if len(room.moves) == len(CELLS):
                    self._playing[number] = await self._room(room.players, room.at, clock=number % 2 == 1)
                    continue
                async with AsyncExitStack() as stack:
                    sockets = [await self._entered(stack, room, side) for side in (0, 1)]
                    await self._fill(room, sockets)
            except AWAY:
                await asyncio.sleep(PAUSE_S)  # what the server acknowledges is checked afterwards

    async def _entered(self, stack: AsyncExitStack, room: LedgerRoom, side: int) -> Socket:
        """Return the socket of a player at its node. If there is none, the player is at the next node from now on."""
        try:
            async with asyncio.timeout(WAIT_S if len(self.nodes) == 1 else SILENCE_S):
                return await stack.enter_async_context(enter(self.nodes[room.at[side]], room.id, room.players[side]))
        except AWAY as error:
            self._leave(room, side, error)
            raise

    def _leave(self, room: LedgerRoom, side: int, error: BaseException) -> None:
        if isinstance(error, websockets.ConnectionClosed) and error.rcvd is not None:
            self.closed.append(error.rcvd.code)
        room.at[side] = (room.at[side] + 1) % len(self.nodes)

    async def _fill(self, room: LedgerRoom, sockets: Sequence[Socket]) -> None:
        """Play on until the board is full, from the command that has no answer yet."""
        while len(room.moves) < len(CELLS):
            await asyncio.sleep(self.pace_s)
            if room.pending is None:
                room.pending = self._next(room)
            entry = room.pending
            try:
                await self._send(room, sockets[entry.side], entry)
            except AWAY as error:
                self._leave(room, entry.side, error)
                for socket in sockets:
                    socket.connection.transport.abort()  # a node that is stopped does not answer a Close frame
                raise
            if entry.command["type"] == "move" and len(room.moves) % GUEST_EVERY == 0:
                await self._guest(room.at[entry.side])

    def _next(self, room: LedgerRoom) -> Entry:
        ply, number = len(room.moves), next(self._numbers)
        if not room.entries:
            return Entry(1, {"type": "sit", "id": f"s{number}", "mark": "O", "invite": room.invite})
        if ply % CHAT_EVERY == 1 and len(room.lines) <= ply // CHAT_EVERY:
            return Entry(ply % 2, {"type": "chat", "id": f"c{number}", "text": f"line {number} of {room.id}"})
        return Entry(ply % 2, {"type": "move", "id": f"m{number}", "ply": ply, "cell": CELLS[ply]})

    async def _send(self, room: LedgerRoom, socket: Socket, entry: Entry) -> None:
        """Send a command, again and again under its id, until it is accepted. Note any other answer."""
        while True:
            began_s = time.monotonic()
            try:
                async with asyncio.timeout(WAIT_S if len(self.nodes) == 1 else SILENCE_S):
                    answer = await socket.ask(**_arguments(entry.command))
            except TimeoutError:
                if not self.silence_expected:
                    self.violations.append(f"{room.id}: {entry.command} has no answer")
                raise
            self.longest_s = max(self.longest_s, time.monotonic() - began_s)
            if answer["type"] == "ok":
                room.acknowledge(entry._replace(version=answer["version"]))
                return
            if answer["code"] != "unavailable":
                self.violations.append(f"{room.id}: {entry.command} was rejected: {answer['message']}")
                raise AssertionError(answer)
            await asyncio.sleep(PAUSE_S)

    # --- checking -----------------------------------------------------------------------------------------------

    async def check(self) -> None:
        """Compare each node that serves again with the ledger. Send some commands once more: each has its one effect."""
        for node in self.nodes:
            await asyncio.gather(*[self._check_room(node, room) for room in self.rooms])
            for api in self.guests:
                status, body = await Api(node.url, api.token).call("GET", "/api/players/me")
                if status != 200:
                    self.violations.append(f"the guest {api.player['id']} is lost: {status} {body}")

    async def _check_room(self, node: Served, room: LedgerRoom) -> None:
        view = await _view(node, room)
        game = view["game"]
        self.violations += moves_violations(room, [] if game is None else game["moves"])
        if game is not None and game["outcome"] is not None and game["outcome"]["reason"] != "full_board":
            self.violations.append(f"{room.id}: {game['outcome']}")
        async with enter(node, room.id, room.players[0]) as x, enter(node, room.id, room.players[1]) as o:
            for entry in room.entries[-SENT_AGAIN:]:
                answer = await (x, o)[entry.side].ask(**_arguments(entry.command))
                if (answer["type"], answer.get("version")) != ("ok", entry.version):
                    self.violations.append(f"{room.id}: {entry} sent again: {answer}")
            lines = [line for message in x.seen if message["type"] == "chat" for line in message["lines"]]
            self.violations += lines_violations(room, [line["text"] for line in lines])
            numbers = [line["n"] for line in lines]
            if numbers != list(range(numbers[0] if numbers else 0, (numbers[0] if numbers else 0) + len(numbers))):
                self.violations.append(f"{room.id}: the chat lines have the numbers {numbers}")
        after = (await _view(node, room))["game"]
        moves = [] if after is None else after["moves"]
        self.violations += moves_violations(room, moves)
        # The command without an answer may be carried out meanwhile, and nothing else.
        if after != game and (game is None or moves == game["moves"]):
            self.violations.append(f"{room.id}: commands that were sent again had an effect: {game} became {after}")


async def _view(node: Served, room: LedgerRoom) -> Message:
    """Return the view of a room, once the node reaches the store."""
    async with asyncio.timeout(WAIT_S):
        while True:
            with suppress(OSError, aiohttp.ClientError):
                status, view = await Api(node.url).call("GET", f"/api/rooms/{room.id}")
                if status == 200:
                    return dict(view)
                assert status == 503, view
            await asyncio.sleep(PAUSE_S)


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


@asynccontextmanager
async def load_on(nodes: Sequence[Served], rooms: int = 4, pace_s: float = PAUSE_S) -> AsyncIterator[Ledger]:
    """Play in rooms across nodes while the block runs, then check every acknowledged command at each node."""
    ledger = Ledger(*nodes)
    ledger.pace_s = pace_s
    await ledger.open_rooms(rooms)
    async with ledger.playing():
        await ledger.everybody(1)
        yield ledger
    await ledger.check()
    assert not ledger.violations, ledger.violations
