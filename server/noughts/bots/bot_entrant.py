"""A bot as an entrant of a tournament: it plays each match as it comes, until the tournament is over."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from noughts.bots.bot_room import BotRoom, Chooser, Pace, Report
from noughts.client import Client, ClientError, RoomGone
from noughts.client.tournament import Tournament


class BotEntrant:
    """Plays the matches of one tournament."""

    def __init__(self, me: Client, tournament: Tournament, chooser: Chooser, report: Report) -> None:
        self._me = me
        self._tournament = tournament
        self._chooser = chooser
        self._report = report
        self._pace = Pace()
        self._match = 0
        """The number of the match whose room the bot is in."""
        self._playing: asyncio.Task[None] | None = None

    async def play(self) -> None:
        """Play until the tournament is over. Raise RoomGone, Rejected or ConnectError."""
        try:
            async with self._tournament as tournament:
                self._report("", f"entrant {tournament.entrant} of {tournament.view.name!r}: {tournament.url}")
                async for message in tournament:
                    match = message.you.match
                    if match is not None and match.n != self._match:
                        await self._leave_room()
                        self._match = match.n
                        self._report(match.room, f"match {match.n} against {match.opponent.name} as {match.mark}")
                        self._playing = asyncio.create_task(self._play_match(match.room))
                    if message.tournament.state == "over":
                        break
                row = tournament.message.you.row
                if row is not None:
                    self._report("", f"the tournament is over: rank {row.rank} with {row.points} points")
        finally:
            await self._leave_room()

    async def _play_match(self, room_id: str) -> None:
        try:
            room = await self._me.join(room_id)
            async with room:
                await BotRoom(room, self._chooser, self._report, self._pace, offers_rematch=False).play()
        except RoomGone:
            pass  # the match is over
        except ClientError as error:
            self._report(room_id, str(error))
            self._match = 0  # the next message enters the room again

    async def _leave_room(self) -> None:
        """Leave the room of the last match."""
        task, self._playing = self._playing, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
