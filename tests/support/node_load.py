"""Players of the same rooms on different nodes, who play through faults and remember every answer.

X and O of a room fill cells in an order that never completes a line, and say something now and then. A player whose
command is answered ``unavailable``, or not at all, sends it again under its id. A player whose connection is lost goes to
the next node. Afterwards :meth:`NodeLoad.check` looks for every acknowledged command and sends its id again elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

import websockets

from noughts.rules.notation import cell_names
from tests.support.player import Api, Message, Served, connect, enter, friends_room, guest

SIZE: Final = 15
PACE_S: Final = 0.05
"""How long a player thinks."""
AGAIN_S: Final = 0.1
"""Seconds until a command or a connection is tried again."""
CHAT_EVERY: Final = 5
"""A player says something with every fifth move."""
SILENCE_S: Final = 3.0
"""A player without an answer for this long goes to another node."""
IDS: Final = 60
"""The newest ids of each player that are sent again. A room remembers 64."""


def _orders() -> tuple[list[str], list[str]]:
    """Return the cells of X and of O. No more than two of one mark are neighbours in any direction."""
    names = cell_names((SIZE, SIZE))
    cells: tuple[list[str], list[str]] = ([], [])
    for index, name in enumerate(names):
        row, column = divmod(index, SIZE)
        cells[(2 * row + column) % 4 // 2].append(name)
    return cells


ORDERS: Final = _orders()


class LoadPlayer:
    """One player of one room, with the answers to all commands."""

    def __init__(self, load: NodeLoad, room: str, mark: int, api: Api, nodes: Sequence[Served]) -> None:
        self.room, self.mark, self.api = room, mark, api
        self.nodes = list(nodes)
        self.acknowledged: dict[str, tuple[Message, int]] = {}
        """Id -> command, and the version in its answer."""
        self.acknowledged_at_s: list[float] = []
        self.unavailable_after_s: list[float] = []
        """Seconds from each command to the answer ``unavailable``."""
        self.longest_s = 0.0
        """The longest wait for any answer."""
        self.surprises: list[object] = []
        """Rejections that nobody expects, and answers that did not come."""
        self.closed: list[int] = []
        self._load = load
        self._pending: dict[str, tuple[Message, float]] = {}

    async def play(self) -> None:
        """Play until the load ends."""
        while not self._load.ending:
            try:
                async with asyncio.timeout(4.0):
                    connection = await websockets.connect(self.nodes[0].ws_url, compression=None, proxy=None)
                async with connection:
                    await self._use(connection)
            except (OSError, TimeoutError, websockets.WebSocketException) as error:
                if isinstance(error, websockets.ConnectionClosed):
                    self.closed.append(error.rcvd.code if error.rcvd is not None else 1006)
                self.nodes.append(self.nodes.pop(0))
                await asyncio.sleep(AGAIN_S)

    async def _use(self, connection: websockets.ClientConnection) -> None:
        hello = {"type": "hello", "protocol": 1, "room": self.room, "token": self.api.token}
        await connection.send(json.dumps(hello))
        self._pending = {id_: (command, 0.0) for id_, (command, _) in self._pending.items()}
        greeted = False
        while not (self._load.ending and not self._pending):
            message = await self._receive(connection)
            if message is None:
                continue
            if message["type"] == "room":
                if not greeted:
                    for command, _ in list(self._pending.values()):
                        await self._send(connection, command)
                greeted = True
                await self._move(connection, message["room"])
            elif message["type"] == "ok":
                self._accepted(message)
            elif message["type"] == "rejected":
                await self._rejected(connection, message)

    async def _receive(self, connection: websockets.ClientConnection) -> Message | None:
        try:
            async with asyncio.timeout(0.25):
                return dict(json.loads(await connection.recv()))
        except TimeoutError:
            now_s = time.monotonic()
            silent = [id_ for id_, (_, sent_s) in self._pending.items() if sent_s and now_s - sent_s > SILENCE_S]
            if not silent:
                return None
            if not self._load.silence_expected:
                self.surprises.append(("no answer", self.room, silent))
            connection.transport.abort()
            raise TimeoutError from None

    async def _move(self, connection: websockets.ClientConnection, room: Message) -> None:
        game = room["game"]
        ply = len(game["moves"]) if game else 0
        cells = ORDERS[self.mark]
        if room["phase"] != "playing" or ply % 2 != self.mark or ply // 2 >= len(cells) or self._load.ending:
            return
        id_ = f"m{ply}"
        if id_ in self._pending or id_ in self.acknowledged:
            return
        await asyncio.sleep(self._load.pace_s)
        await self._send(connection, {"type": "move", "id": id_, "game": 1, "ply": ply, "cell": cells[ply // 2]})
        if ply // 2 % CHAT_EVERY == 0:
            await self._send(connection, {"type": "chat", "id": f"s{ply}", "text": f"said {ply}"})

    async def _send(self, connection: websockets.ClientConnection, command: Message) -> None:
        self._pending[command["id"]] = (command, time.monotonic())
        await connection.send(json.dumps(command))

    def _accepted(self, message: Message) -> None:
        command, sent_s = self._pending.pop(message["id"])
        now_s = time.monotonic()
        self.longest_s = max(self.longest_s, now_s - sent_s)
        self.acknowledged[message["id"]] = (command, message["version"])
        self.acknowledged_at_s.append(now_s)

    async def _rejected(self, connection: websockets.ClientConnection, message: Message) -> None:
        command, sent_s = self._pending[message["id"]]
        waited_s = time.monotonic() - sent_s
        self.longest_s = max(self.longest_s, waited_s)
        if message["code"] == "unavailable":
            self.unavailable_after_s.append(waited_s)
            await asyncio.sleep(AGAIN_S)
            await self._send(connection, command)
        else:
            self.surprises.append((self.room, command, message))
            del self._pending[message["id"]]


class NodeLoad:
    """Rooms with a player on each of two nodes, playing."""

    def __init__(self, nodes: Sequence[Served]) -> None:
        self.nodes = nodes
        self.players: list[LoadPlayer] = []
        self.ending = False
        self.pace_s = PACE_S
        self.silence_expected = False
        """Whether a node may leave commands without an answer: it is stopped."""
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self, rooms: int, **options: object) -> None:
        """Make rooms with these options and seat their players, then let them play."""
        for number in range(rooms):
            first, second = (self.nodes[(number + shift) % len(self.nodes)] for shift in (0, 1))
            ann, ben = await guest(first.url, f"Ann {number}"), await guest(second.url, f"Ben {number}")
            answer = await friends_room(first, ann, variant="gomoku", **options)
            room = answer["room"]["id"]
            async with enter(second, room, ben) as seat:
                await seat.ok("sit", mark="O", invite=answer["invite"])
            self.players.append(LoadPlayer(self, room, 0, ann, _from(self.nodes, first)))
            self.players.append(LoadPlayer(self, room, 1, ben, _from(self.nodes, second)))
        self._tasks = [asyncio.get_running_loop().create_task(player.play()) for player in self.players]

    @property
    def longest_s(self) -> float:
        """The longest wait of any player for any answer."""
        return max(player.longest_s for player in self.players)

    async def played(self, moves: int = 2, timeout_s: float = 30.0) -> float:
        """Wait until each player has this many more acknowledged moves. Return the seconds until each had one."""
        began_s = time.monotonic()
        before = [len(player.acknowledged_at_s) for player in self.players]
        async with asyncio.timeout(timeout_s):
            while any(  # noqa: ASYNC110 - the players tell nobody
                len(player.acknowledged_at_s) < count + moves
                for player, count in zip(self.players, before, strict=True)
            ):
                await asyncio.sleep(0.02)
        firsts: dict[str, float] = {}
        for player in self.players:
            first_s = min(at_s for at_s in player.acknowledged_at_s if at_s >= began_s) - began_s
            firsts[player.room] = min(first_s, firsts.get(player.room, first_s))
        return max(firsts.values())

    async def end(self) -> None:
        """Let the players finish what they sent."""
        self.ending = True
        if self._tasks:
            _, unfinished = await asyncio.wait(self._tasks, timeout=20.0)
            for task in unfinished:
                task.cancel()
            assert not unfinished, "a command has no answer"
            for task in self._tasks:
                task.result()

    async def check(self) -> None:
        """Find every acknowledged command once, and get the same answer to each id from another node."""
        await asyncio.gather(*(self._check(player) for player in self.players))

    async def _check(self, player: LoadPlayer) -> None:
        assert not player.surprises, player.surprises
        for node in (player.nodes[-1], player.nodes[0]):
            await _reaches_the_store(node, player)
            async with connect(node.ws_url, {"room": player.room, "token": player.api.token}) as socket:
                room = await socket.until_room(lambda view: True)
                assert room["phase"] == "playing", room
                moves = [move if isinstance(move, str) else move["cell"] for move in room["game"]["moves"]]
                assert moves == [ORDERS[ply % 2][ply // 2] for ply in range(len(moves))]
                acknowledged = [command["ply"] for command, _ in player.acknowledged.values() if "ply" in command]
                assert not acknowledged or max(acknowledged) < len(moves), f"a move was lost: {acknowledged}, {moves}"
                for id_, (command, version) in list(player.acknowledged.items())[-IDS:]:
                    fields = {name: value for name, value in command.items() if name not in ("type", "id")}
                    answer = await socket.ask(command["type"], id=id_, **fields)
                    assert (answer["type"], answer.get("version")) == ("ok", version), (id_, version, answer)
                after = await socket.until_room(lambda view: True)
                assert after["game"]["moves"] == room["game"]["moves"]
            async with connect(node.ws_url, {"room": player.room, "token": player.api.token}) as socket:
                chat = await socket.until(lambda message: message["type"] == "chat")
                lines = [(line["n"], line["text"], line["from"]["mark"]) for line in chat["lines"]]
                numbers = [number for number, _, _ in lines]
                assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
                assert len({(text, mark) for _, text, mark in lines}) == len(lines), lines


async def _reaches_the_store(node: Served, player: LoadPlayer) -> None:
    """Wait until a node is ready and shows the room: its players may have gone on elsewhere before it reached the store."""
    async with asyncio.timeout(10.0):
        while True:
            with suppress(OSError, websockets.ConnectionClosed):
                status, _ = await Api(node.url).call("GET", "/readyz")
                if status != 200:
                    await asyncio.sleep(AGAIN_S)
                    continue
                async with connect(node.ws_url, {"room": player.room, "token": player.api.token}) as socket:
                    await socket.until_room(lambda view: True)
                    return
            await asyncio.sleep(AGAIN_S)


def _from(nodes: Sequence[Served], first: Served) -> list[Served]:
    index = list(nodes).index(first)
    return [*nodes[index:], *nodes[:index]]


@asynccontextmanager
async def node_load(nodes: Sequence[Served], rooms: int = 4, **options: object) -> AsyncIterator[NodeLoad]:
    """Play in rooms across nodes while the block runs, then check every acknowledged command."""
    load = NodeLoad(nodes)
    await load.begin(rooms, **options)
    try:
        await load.played(1)
        yield load
    except BaseException:
        load.ending = True
        async with AsyncExitStack():
            with suppress(AssertionError):
                await load.end()
        raise
    await load.end()
    await load.check()
