"""A bot on a server: several public rooms at once, and the same player after each restart of either side."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from noughts.bots.bot_entrant import BotEntrant
from noughts.bots.bot_room import IDLE_S, BotRoom, Chooser, Pace, Report
from noughts.client import Client, ConnectError, Rejected, Room, RoomGone, connect
from noughts.client.connection import delay_s
from noughts.client.room import Clock
from noughts.client.token_file import TokenFile

FINAL_CODES: Final = ("unauthorized", "bad_message")
"""Codes after which another try is of no use."""


class BotPlan(NamedTuple):
    """What a bot plays: its server and name, its variants, how many rooms, and against whom.

    ``against`` is None for people, or a level of the engine. ``token_file`` keeps the player's secret and its rooms.
    """

    server: str
    variants: tuple[str, ...]
    rooms: int
    name: str | None = None
    against: str | None = None
    clock: Clock = None
    token_file: Path | None = None
    idle_s: float = IDLE_S
    pin: str | None = None
    """The PIN of a tournament, which the bot then plays instead of rooms of its own."""


class BotPlayer:
    """Runs a bot on a server until it is cancelled."""

    def __init__(self, plan: BotPlan, chooser: Chooser, report: Report) -> None:
        self._plan = plan
        self._chooser = chooser
        self._report = report
        self._rng = random.Random()
        self._pace = Pace()
        self._file = TokenFile(plan.token_file, plan.server)
        self._rooms: dict[int, str] = {}

    async def run(self) -> None:
        """Play for ever, or until the plan's tournament is over.

        Raise ConnectError or Rejected if the server cannot be used at the start, or TokenFileError.
        """
        plan = self._plan
        async with connect(plan.server, name=plan.name, token=self._file.token, bot=True) as me:
            if plan.pin is not None:
                self._file.keep(me.token, ())
                tournament = await me.join_tournament(plan.pin, plan.name)
                await BotEntrant(me, tournament, self._chooser, self._report).play()
                return
            await self._check(me)
            self._rooms = dict(enumerate(self._file.rooms[: plan.rooms]))
            self._file.keep(me.token, self._rooms.values())
            self._report("", f"{me.player.name} plays on {me.url}")
            async with asyncio.TaskGroup() as rooms:
                for number in range(1, plan.rooms):
                    rooms.create_task(self._play(me, number, plan.variants[number % len(plan.variants)]))
                await self._play(me, 0, plan.variants[0])

    async def _check(self, me: Client) -> None:
        """Raise Rejected for a variant that the server does not have, before anything is made."""
        keys = [variant.key for variant in await me.variants()]
        for variant in self._plan.variants:
            if variant not in keys:
                raise Rejected(
                    "bad_message", f"The server has no variant {variant!r}. Choose one of: {', '.join(keys)}."
                )

    async def _play(self, me: Client, number: int, variant: str) -> NoReturn:
        """Play one room after another, beginning with the room that the file names."""
        tries = 0
        while True:
            tries += 1
            try:
                room_id = self._rooms.get(number)
                room = await (self._new_room(me, variant) if room_id is None else me.join(room_id))
                self._note(me, number, room.id)
                async with room:
                    if room.view.phase == "waiting":
                        self._report(room.id, f"waits for an opponent at {room.watch_url}")
                    rematch = self._plan.against is not None
                    idle_s = self._plan.idle_s
                    await BotRoom(
                        room, self._chooser, self._report, self._pace, offers_rematch=rematch, idle_s=idle_s
                    ).play()
                    await _give_up(room)
                self._note(me, number, None)
            except RoomGone:
                self._note(me, number, None)
            except (ConnectError, Rejected) as error:
                wait_ms = error.retry_ms if isinstance(error, Rejected) else None
                if isinstance(error, Rejected) and error.code in FINAL_CODES:
                    raise
                self._report(self._rooms.get(number, ""), str(error))
                await asyncio.sleep(wait_ms / 1_000 if wait_ms else delay_s(tries, self._rng))

    def _note(self, me: Client, number: int, room: str | None) -> None:
        """Keep which rooms the bot plays."""
        if room is None:
            self._rooms.pop(number, None)
        else:
            self._rooms[number] = room
        if tuple(self._rooms.values()) != self._file.rooms:
            self._file.keep(me.token, self._rooms.values())

    async def _new_room(self, me: Client, variant: str) -> Room:
        against = self._plan.against
        if against is None:
            return await me.create(variant, opponent="anyone", clock=self._plan.clock)
        return await me.create(variant, opponent="engine", level=against, clock=self._plan.clock)


async def _give_up(room: Room) -> None:
    """Leave the seat to somebody else, if the room still has it."""
    if "close" in room.you.can:
        await room.close()
    elif "stand" in room.you.can:
        await room.stand()
