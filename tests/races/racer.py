"""A person at one connection to a room, who does what may be done there, and now and then what may not.

A command that has no answer is sent again under its id on the next connection. Two racers may be one player.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from typing import Any, Final

import websockets

from tests.races.history import Answer, History, Key, Sight
from tests.support.player import Api, Message, Socket, connect
from tests.support.tcp_proxy import TcpProxy

ANSWER_S: Final = 1.0
"""How long a racer waits for an answer before it connects again."""
AGAIN_S: Final = 0.05
NEWEST: Final = 20
"""The server remembers at least 64 ids of a player. A racer sends one of this many again."""
_connections = itertools.count(1)


class Racer:
    """One connection at a time, through a proxy of its own."""

    def __init__(self, name: str, api: Api, room: str, proxy: TcpProxy, history: History, seed: int) -> None:
        self.name = name
        self.player = str(api.player["id"])
        self.proxy = proxy
        self.view: Message = {}
        """The newest view that this racer was sent."""
        self._hello: Message = {"room": room, "token": api.token}
        self._history = history
        self._rng = random.Random(f"{seed} {name}")
        self._ids = itertools.count()
        self._pending: Key | None = None
        self._stopping = False

    def stop(self) -> None:
        """Send no new command. The racer stays connected."""
        self._stopping = True

    @property
    def idle(self) -> bool:
        """Whether all commands have their answers, and no more will come."""
        return self._stopping and self._pending is None

    async def race(self) -> None:
        """Connect, send commands, and connect again, until the task is cancelled."""
        url = f"ws://127.0.0.1:{self.proxy.port}/ws"
        while True:
            try:
                async with asyncio.timeout(ANSWER_S) as limit, connect(url, self._hello, close_timeout=0.1) as socket:
                    limit.reschedule(None)
                    await self._play(socket, next(_connections))
            except (OSError, TimeoutError, websockets.WebSocketException):
                await asyncio.sleep(AGAIN_S)

    async def _play(self, socket: Socket, connection: int) -> None:
        newest: Message = {}
        while True:
            if self._pending is None and newest and not self._stopping:
                self._pending = self._next(newest)
            key = self._pending
            if key is not None:
                self._history.sent_s.setdefault(key, time.monotonic())
                await socket.send({**self._history.commands[key], "id": key[1]})
            async with asyncio.timeout(None if self.idle else ANSWER_S):
                newest = await self._receive(socket, connection, key, newest)

    async def _receive(self, socket: Socket, connection: int, key: Key | None, newest: Message) -> Message:
        """Receive until the answer to a command, or until a view if there is none. Return the newest message with a view."""
        while True:
            message = await socket.receive()
            at_s = time.monotonic()
            if message["type"] == "room":
                newest, self.view = message, message["room"]
                self._history.sights.append(Sight(connection, message["version"], message["room"], at_s))
                if key is None:
                    return newest
            elif message["type"] in ("ok", "rejected") and key is not None and message["id"] == key[1]:
                self._pending = None
                self._history.answers.append(Answer(key, message.get("version"), message.get("code", "ok"), at_s))
                return newest

    # --- what to send -----------------------------------------------------------------------------------------------

    def _next(self, message: Message) -> Key:
        """Return the key of the next command, which is a new one, or one that was accepted before."""
        mine = [key for key in self._history.accepted() if key[0] == self.player][-NEWEST:]
        if mine and self._rng.random() < 0.1:
            return self._rng.choice(mine)
        key = (self.player, f"{self.name}-{next(self._ids)}")
        self._history.commands[key] = self._command(message)
        return key

    def _command(self, message: Message) -> dict[str, Any]:
        rng, can, game = self._rng, message["you"]["can"], message["room"]["game"]
        if rng.random() < 0.1:
            can = ["move", "sit:X", "sit:O", "stand", "offer:takeback", "offer:rematch", "answer:takeback", "chat"]
        choices = [choice for choice in can if choice.partition(":")[0] in _WEIGHTS]
        weights = [_WEIGHTS[choice.partition(":")[0]] for choice in choices]
        kind, _, what = rng.choices(choices, weights)[0].partition(":") if choices else ("chat", "", "")
        number = 0 if game is None else game["number"]
        match kind:
            case "move":
                legal, ply = (game["legal"], len(game["moves"])) if game is not None else ([], 0)
                cell = rng.choice(legal) if legal and rng.random() < 0.95 else "b2"
                return {"type": "move", "game": number, "ply": ply, "cell": cell}
            case "sit":
                return {"type": "sit", "mark": what or "X"}
            case "offer":
                return {"type": "offer", "what": what, "game": number}
            case "answer":
                return {"type": "answer", "what": what, "accept": rng.random() < 0.8, "game": number}
            case "chat":
                return {"type": "chat", "text": f"line of {self.name}"}
            case "react":
                return {"type": "react", "emoji": "👍"}
        return {"type": kind}


_WEIGHTS: Final = {"move": 30, "sit": 10, "stand": 2, "offer": 2, "answer": 10, "resign": 0.5, "chat": 2, "react": 1}
"""How often each command is chosen. ``close`` would end the room; claims and settings are for other tests."""
