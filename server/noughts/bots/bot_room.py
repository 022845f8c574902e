"""One public room of a bot, from the opponent's arrival to the last rematch."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from noughts.bots.bot_file import BotError
from noughts.client import Rejected, Room
from noughts.protocol.messages import View
from noughts.rules.outcome import MARKS, Mark, other

AWAY_MS: Final = 30_000
"""Milliseconds after which the bot empties the seat of an absent opponent, between games."""
IDLE_S: Final = 120.0
"""Seconds for which the bot waits for a rematch. After that it opens another room."""


class Chooser(Protocol):
    """Chooses a move, or raises :class:`~noughts.bots.bot_file.BotError`."""

    async def choose(self, view: View) -> str: ...


class Report(Protocol):
    """Takes one line about a room, and the detail of a failure."""

    def __call__(self, room: str, text: str, detail: str = "") -> None: ...


class BotRoom:
    """Plays a room that the bot has entered. A bot that fails resigns the game, and plays the next one."""

    def __init__(
        self,
        room: Room,
        chooser: Chooser,
        report: Report,
        pace: Pace,
        *,
        offers_rematch: bool,
        idle_s: float = IDLE_S,
    ) -> None:
        self._idle_s = idle_s
        self._room = room
        self._pace = pace
        self._chooser = chooser
        self._report = report
        self._offers_rematch = offers_rematch
        self._reported = 0

    async def play(self) -> None:
        """Play until the opponent has had enough. Raise RoomGone, Rejected or ConnectError."""
        while True:
            if not await self._react():
                return
            try:
                async with asyncio.timeout(self._idle_s if self._room.view.phase == "finished" else None):
                    await self._room.news()
            except TimeoutError:
                self._report(self._room.id, "nobody wants a rematch: this room is given up")
                return

    async def _react(self) -> bool:
        """Do what the newest view asks for. Return whether to stay."""
        while True:
            try:
                return await self._act()
            except Rejected as rejection:
                if rejection.retry_ms is not None:  # no newer view may follow: act again
                    await asyncio.sleep(rejection.retry_ms / 1_000)
                elif rejection.code in ("unauthorized", "internal"):
                    raise
                else:  # the bot acted on an old view: the newest one is on its way
                    return True

    async def _act(self) -> bool:
        """Send the command that the newest view asks for, if any. Return whether to stay. Raise Rejected."""
        room = self._room
        view, can = room.view, room.you.can
        mark = room.you.mark
        if view.phase == "closed" or mark is None:
            return False
        if view.game is not None and view.game.outcome is not None:
            self._report_end(view, mark)
        if "answer:takeback" in can:
            await self._send(lambda: room.answer("takeback", False))
        elif "answer:draw" in can:
            await self._send(lambda: room.answer("draw", False))
        elif "answer:rematch" in can:
            await self._send(lambda: room.answer("rematch", True))
        elif self._offers_rematch and "offer:rematch" in can:
            await self._send(lambda: room.offer("rematch"))
        elif "claim:win" in can:
            await self._send(lambda: room.claim("win"))
        elif "move" in can:
            await self._move(view)
        elif f"free:{other(mark)}" in can and self._away_ms(other(mark)) >= AWAY_MS:
            await self._send(lambda: room.free(other(mark)))
        return True

    async def _move(self, view: View) -> None:
        room, game = self._room, view.game
        assert game is not None
        cell: str | None = None
        failure: BotError | None = None
        try:
            cell = await self._chooser.choose(view)
        except BotError as error:
            self._report(room.id, f"{error.reason} The bot resigns this game.", error.detail)
            failure = error
        await self._pace.turn()
        newest = room.view.game
        is_on = newest is not None and newest.number == game.number and newest.turn is not None
        if failure is not None:
            if is_on:
                await room.resign()
            if failure.stops:
                raise failure
        elif is_on and newest is not None and cell is not None and newest.moves == game.moves:
            await room.move(cell, view)

    async def _send(self, command: Callable[[], Awaitable[None]]) -> None:
        await self._pace.turn()
        await command()

    def _away_ms(self, mark: Mark) -> int:
        crowd = self._room.crowd
        presence = None if crowd is None else crowd.seats.X if mark == MARKS[0] else crowd.seats.O
        return 0 if presence is None else presence.away_ms or 0

    def _report_end(self, view: View, mark: Mark) -> None:
        game = view.game
        if game is None or game.outcome is None or game.number == self._reported:
            return
        self._reported = game.number
        winner = game.outcome.winner
        words = "drawn" if winner is None else "won" if winner == mark else "lost"
        reason = game.outcome.reason.replace("_", " ")
        self._report(self._room.id, f"game {game.number} {words} as {mark} in {len(game.moves)} moves ({reason})")


PER_S: Final = 25.0
"""Commands a second, of all rooms together. Servers allow 30."""
BURST: Final = 100
"""Commands at once after a rest. Servers allow 120."""


class Pace:
    """Spaces the commands of all rooms of a bot, first come, first served, below the limit that a server has for one player.

    A server that has no credit left for a player reads none of the player's sockets. Which of them it reads next is a matter
    of luck, so one room of many could lose on time. Here the rooms take turns instead.
    """

    def __init__(self, per_s: float = PER_S, burst: int = BURST) -> None:
        self._gap_s = 1.0 / per_s
        self._rest_s = burst / per_s
        self._next_s = -math.inf

    async def turn(self) -> None:
        """Return when the next command may be sent."""
        now_s = asyncio.get_running_loop().time()
        self._next_s = max(self._next_s, now_s - self._rest_s) + self._gap_s
        if self._next_s > now_s:
            await asyncio.sleep(self._next_s - now_s)
